//! A lock for build scripts that compile for the device in one folder.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use place::Place;

/// The folder's lock, which one build script has at a time.
pub(crate) struct Turn {
    _lock: File,
    lent: Option<Lent>,
}

/// A slot of cargo's job limit that this build script has lent to another process. To drop it is to wait for a free slot.
pub(crate) struct Lent(#[expect(dead_code, reason = "dropped, not read")] Place);

impl Turn {
    /// Lets the next build script use the folder. The slot is for the end of the build script: cargo keeps slots as long
    /// as it has jobs for them, so if the owner of the folder asked for one, all others would wait with it.
    pub(crate) fn end(self) -> Option<Lent> {
        self.lent
    }
}

/// Waits until no other build script uses the folder. While it waits, cargo may start another process in its place: where
/// several packages have models, half of the processor was idle before.
///
/// Cargo has a lock of its own, so nothing is lost if this lock cannot be taken.
pub(crate) fn in_folder(folder: &Path) -> Option<Turn> {
    in_folder_with(folder, &std::env::var("CARGO_MAKEFLAGS").unwrap_or_default())
}

fn in_folder_with(folder: &Path, flags: &str) -> Option<Turn> {
    fs::create_dir_all(folder).ok()?;
    let lock = File::options().create(true).truncate(false).write(true).open(folder.join(".turn")).ok()?;
    let mut lent = None;
    if let Err(TryLockError::WouldBlock) = lock.try_lock() {
        lent = Place::give(flags).map(Lent);
        lock.lock().ok()?;
    }
    Some(Turn { _lock: lock, lent })
}

#[cfg(unix)]
mod place {
    use std::fs::File;
    use std::io::{Read as _, Write as _};
    use std::os::unix::fs::FileTypeExt as _;

    /// A slot of cargo's job limit, lent to another process until this is dropped: by the protocol of `make`, a byte in
    /// a pipe.
    pub(super) struct Place {
        pipe: File,
    }

    impl Place {
        pub(super) fn give(flags: &str) -> Option<Self> {
            let ends = flags.split_whitespace().find_map(|flag| flag.strip_prefix("--jobserver-auth="))?;
            let (read, write) = match (ends.strip_prefix("fifo:"), ends.split_once(',')) {
                (Some(path), _) => (path.to_owned(), path.to_owned()),
                (None, Some((read, write))) => (format!("/proc/self/fd/{read}"), format!("/proc/self/fd/{write}")),
                _ => return None,
            };
            let is_pipe = |file: &File| file.metadata().is_ok_and(|data| data.file_type().is_fifo());
            // First the process that takes the slot back.
            let pipe = File::options().read(true).open(read).ok().filter(is_pipe)?;
            File::options().write(true).open(write).ok().filter(is_pipe)?.write_all(b"+").ok()?;
            Some(Self { pipe })
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            // If that fails, one process too many runs.
            let _ = self.pipe.read_exact(&mut [0]);
        }
    }
}

#[cfg(not(unix))]
mod place {
    /// Without a lent slot.
    pub(super) struct Place;

    impl Place {
        pub(super) fn give(_: &str) -> Option<Self> {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let first = in_folder(folder.path()).unwrap();
        let (send, receive) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _second = in_folder(folder.path()).unwrap();
                send.send(()).unwrap();
            });
            assert!(receive.recv_timeout(Duration::from_millis(100)).is_err());
            drop(first);
            receive.recv_timeout(Duration::from_secs(60)).unwrap();
        });
    }

    /// The next one compiles without a slot, and ends when it has one again.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_turn_needs_no_place() {
        use std::io::{Read as _, Write as _};
        use std::os::fd::AsRawFd as _;

        let folder = tempfile::tempdir().unwrap();
        let (mut read, mut write) = std::io::pipe().unwrap();
        let flags = format!("--jobserver-auth={},{}", read.as_raw_fd(), write.as_raw_fd());
        let first = in_folder_with(folder.path(), &flags).unwrap();
        let (send, receive) = mpsc::channel();
        let second = std::thread::spawn({
            let (folder, flags) = (folder.path().to_owned(), flags.clone());
            move || {
                let turn = in_folder_with(&folder, &flags).unwrap();
                send.send("compiles").unwrap();
                drop(turn.end());
                send.send("ended").unwrap();
            }
        });
        let mut byte = [0];
        read.read_exact(&mut byte).unwrap();
        assert_eq!(&byte, b"+");
        assert!(receive.recv_timeout(Duration::from_millis(50)).is_err(), "the first one has the folder");
        assert!(first.end().is_none());
        assert_eq!(receive.recv_timeout(Duration::from_secs(60)), Ok("compiles"));
        assert!(receive.recv_timeout(Duration::from_millis(50)).is_err(), "nobody gave a slot back");
        drop(in_folder_with(folder.path(), &flags).unwrap());
        write.write_all(b"+").unwrap();
        assert_eq!(receive.recv_timeout(Duration::from_secs(60)), Ok("ended"));
        second.join().unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_place_is_given_and_taken_back() {
        use std::io::{Read as _, Write as _};
        use std::os::fd::AsRawFd as _;

        let (mut read, mut write) = std::io::pipe().unwrap();
        let flags = format!("-j --jobserver-fds=1,2 --jobserver-auth={},{}", read.as_raw_fd(), write.as_raw_fd());
        let place = place::Place::give(&flags).unwrap();
        let mut byte = [0];
        read.read_exact(&mut byte).unwrap();
        assert_eq!(&byte, b"+");
        write.write_all(b"x").unwrap();
        drop(place);
        drop(write);
        assert_eq!(read.read(&mut byte).unwrap(), 0, "it was taken back");

        let file = tempfile::NamedTempFile::new().unwrap();
        for no_pipe in [format!("--jobserver-auth=fifo:{}", file.path().display()), String::from("--jobserver-auth=0")]
        {
            assert!(place::Place::give(&no_pipe).is_none());
        }
        assert_eq!(std::fs::metadata(file.path()).unwrap().len(), 0);
    }
}
