// Methods that share the name of a mutating method but do not mutate: methods of numbers, and of other objects.
use ikra::prelude::*;

#[soa_class]
pub struct Hash {
    pub state: u32,
    pub words: [u16; 2],
    #[inline_array(1)]
    pub path: InnerArray<u64>,
    pub next: Link<Hash>,
    pub found: u32,
}

#[soa_methods]
impl Hash {
    pub fn take(&self, by: u32) -> u32 {
        self.state.rotate_right(by)
    }
    #[kernel]
    pub fn mix(&mut self) {
        let own = (1 ^ self.state).rotate_left(1) ^ self.next.state();
        let word = self.words[1].rotate_left(2) ^ self.next.words()[1];
        let path = self.path[0].rotate_right(1) ^ self.next.path().get(0);
        let other = self.next.take(1);
        self.found = own ^ u32::from(word) ^ path as u32 ^ other ^ self.next.next().state();
    }
    #[kernel]
    pub fn turn(&mut self) {
        self.words.rotate_left(1);
    }
}

#[soa_world]
pub struct Table {
    pub hashes: Objects<Hash>,
}

pub fn main() {
    let mut table = Table::new();
    let next = Link::from_index(0).unwrap();
    let hash = Hash { state: 6, words: [1, 2], path: [4].into(), next, found: 0 };
    table.hashes.push(hash).unwrap();
    table.execute(Hash::mix, ());
    let all = [14, 6, 8, 2, 2, 4, 3, 6].into_iter().fold(0_u32, |all, one| all ^ one);
    assert_eq!(table.get(next).found(), all);
    table.execute(Hash::turn, ());
    assert_eq!(table.get(next).words(), [2, 1]);
}
