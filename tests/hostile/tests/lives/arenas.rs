//! Arrays of objects that come and go: memory is reused, and errors leave the world as it was.

use ikra::{Error, Place, prelude::*};

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub n: u32,
    #[inline_array(0)]
    pub words: InnerArray<u64>,
}
/// Keeps its text.
#[soa_class]
pub struct Reader {
    pub text: Link<Text>,
}

#[soa_class(arena = 1024)]
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub n: u32,
    #[inline_array(0)]
    pub words: InnerArray<u64>,
}

#[soa_methods]
impl Text {
    #[kernel]
    pub fn write(&mut self, words: u32, gone: u32, young: Spawn<Text>) {
        self.n += 1000;
        for _ in 0..4 {
            young.push(Text { n: self.n, words: vec![7; words as usize].into() });
        }
        if self.n % 1000 == gone {
            self.remove();
        }
    }
}

#[soa_methods]
impl Note {
    #[kernel]
    pub fn copy(&mut self, words: u32, young: Spawn<Note>) {
        self.n += 1000;
        young.push(Note { n: self.n, words: (0..u64::from(words)).collect() });
        self.remove();
    }
}

#[soa_world]
pub struct Shelf {
    pub texts: Objects<Text>,
    pub readers: Objects<Reader>,
    pub notes: Objects<Note>,
}

#[test]
fn a_packed_arena_is_restored() -> Result<(), Error> {
    let mut shelf = Shelf::new();
    let links: Vec<_> =
        shelf.texts.extend((0..5).map(|n| Text { n, words: vec![u64::from(n); 20_000].into() }))?.collect();
    shelf.readers.push(Reader { text: links[3] })?;
    // Almost all of the arena is dead now; the next new array packs it.
    for &link in &links {
        shelf.texts.set_array(text::words, link, &[1, 2, 3])?;
    }
    let before: Vec<_> = shelf.texts.iter().collect();
    for words in [10, 1000, 1600, 3000, 30_000] {
        let error = shelf.on(Place::Host).execute(Text::write, (words, 3)).unwrap_err();
        assert!(matches!(error, Error::LinkToRemoved { class: "Reader", .. }), "{error}");
        assert_eq!(shelf.texts.iter().collect::<Vec<_>>(), before);
    }
    shelf.execute(Text::write, (5, 2));
    assert_eq!(shelf.texts.len(), 5 + 20 - 1);
    Ok(())
}

#[test]
fn the_arrays_of_removed_objects_make_room() -> Result<(), Error> {
    let mut shelf = Shelf::new();
    let notes: Vec<_> = shelf.notes.extend((0..2).map(|n| Note { n, words: vec![9; 60].into() }))?.collect();
    shelf.remove(notes[0])?;
    // 480 of 1024 bytes are in use: the removed object's do not count.
    shelf.notes.push(Note { n: 7, words: vec![8; 60].into() })?;
    assert!(matches!(shelf.notes.push(Note { n: 7, words: vec![8; 60].into() }), Err(Error::ArenaFull { .. })));
    let found: Vec<_> = shelf.notes.iter().map(|note| (note.n, note.words.len(), note.words[59])).collect();
    assert_eq!(found, [(1, 60, 9), (7, 60, 8)]);
    shelf.compact::<Note>()?;
    // The young come before their makers go: there is no room for both.
    let before: Vec<_> = shelf.notes.iter().collect();
    let error = shelf.on(Place::Host).execute(Note::copy, 60).unwrap_err();
    assert!(matches!(error, Error::ArenaFull { .. }), "{error}");
    assert_eq!(shelf.notes.iter().collect::<Vec<_>>(), before);
    for words in [3, 4, 5, 1, 2] {
        shelf.execute(Note::copy, words);
        assert!(shelf.notes.iter().all(|note| note.words.iter().copied().eq(0..u64::from(words))));
    }
    Ok(())
}
