//! A lock for build scripts that compile for the device in one folder.

use std::fs::{self, File, TryLockError};
use std::path::Path;

/// Holds the folder's lock until dropped; waits until no other build script holds it. While it waits, cargo may start
/// another process in its place: where several packages have models, half of the processor was idle before.
///
/// Cargo has a lock of its own, so nothing is lost if this lock cannot be taken.
pub(crate) fn in_folder(folder: &Path) -> Option<File> {
    fs::create_dir_all(folder).ok()?;
    let file = File::options().create(true).truncate(false).write(true).open(folder.join(".turn")).ok()?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        let given = place::Place::give();
        file.lock().ok()?;
        drop(given);
    }
    Some(file)
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
        pub(super) fn give() -> Option<Self> {
            Self::give_to(&std::env::var("CARGO_MAKEFLAGS").ok()?)
        }

        pub(super) fn give_to(flags: &str) -> Option<Self> {
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
        pub(super) fn give() -> Option<Self> {
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_place_is_given_and_taken_back() {
        use std::io::{Read as _, Write as _};
        use std::os::fd::AsRawFd as _;

        let (mut read, mut write) = std::io::pipe().unwrap();
        let flags = format!("-j --jobserver-fds=1,2 --jobserver-auth={},{}", read.as_raw_fd(), write.as_raw_fd());
        let place = place::Place::give_to(&flags).unwrap();
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
            assert!(place::Place::give_to(&no_pipe).is_none());
        }
        assert_eq!(std::fs::metadata(file.path()).unwrap().len(), 0);
    }
}
