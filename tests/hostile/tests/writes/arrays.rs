//! Writes to elements of inner arrays, of each arrangement.

use ikra::prelude::*;

class!();

fn bump(element: &mut u32) {
    *element += 1;
}

macro_rules! bumped {
    ($array:expr, $index:expr) => {
        $array[$index] += 1
    };
}

#[soa_methods]
impl Node {
    #[kernel]
    pub fn by_index(&mut self) {
        self.a[3] += 1;
    }
    #[kernel]
    pub fn by_index_beyond_the_slots(&mut self) {
        self.more[2] += 1;
    }
    #[kernel]
    pub fn by_index_of_a_whole(&mut self) {
        self.whole[1] += 1;
    }
    #[kernel]
    pub fn by_a_range(&mut self) {
        self.more.range_mut(2..).for_each(|element| *element += 1);
    }
    #[kernel]
    pub fn by_an_alias(&mut self) {
        let a = &mut self.a;
        a[0] += 1;
    }
    #[kernel]
    pub fn by_a_reference_to_an_element(&mut self) {
        let element = &mut self.more[0];
        *element += 1;
    }
    #[kernel]
    pub fn by_a_helper(&mut self) {
        bump(&mut self.a[2]);
    }
    #[kernel]
    pub fn by_a_macro(&mut self) {
        bumped!(self.whole, 0);
    }
    #[kernel]
    pub fn by_swap_and_set(&mut self) {
        self.a.set(0, 7);
        self.a.swap(0, 3);
        self.a.set(3, 2);
    }
    #[kernel]
    pub fn by_a_slice(&mut self) {
        if let Some(slice) = self.whole.as_mut_slice() {
            slice[2] += 1;
        }
    }
    #[kernel]
    pub fn by_copy(&mut self) {
        self.a.copy_from_slice(&[1, 1, 1, 2]);
    }
    #[kernel]
    pub fn by_fill(&mut self) {
        self.whole.fill(1);
        for element in &mut self.whole {
            *element += 1;
            break;
        }
    }
    #[kernel]
    pub fn by_last_of_an_iterator(&mut self) {
        *self.more.iter_mut().last().unwrap() += 1;
    }
    #[kernel]
    pub fn by_mem_swap(&mut self) {
        let mut two = 2;
        core::mem::swap(&mut self.more[1], &mut two);
    }
    #[kernel]
    pub fn by_zip(&mut self) {
        for (element, by) in self.a.iter_mut().zip([0, 1, 0]) {
            *element += by;
        }
    }
    #[kernel]
    pub fn by_a_forgotten_iterator(&mut self) {
        let mut elements = self.more.iter_mut();
        *elements.next().unwrap() += 1;
        core::mem::forget(elements);
    }
    #[kernel]
    pub fn by_an_atomic(&mut self) {
        let hits = &self.hits;
        hits.store(hits.load() + 1);
    }
    #[kernel(snapshot(a))]
    pub fn in_part_of_a_snapshot(&mut self) {
        if self.x == 5 {
            self.a[1] = self.next.a()[1] + 1;
        }
    }
    #[kernel(snapshot(more, whole))]
    pub fn in_part_of_other_snapshots(&mut self) {
        self.more[2] = self.next.more()[2] + self.next.whole()[0];
    }
}

programs! {
    Stored: by_index by_index_beyond_the_slots by_index_of_a_whole by_a_range by_an_alias by_a_reference_to_an_element
        by_a_helper by_a_macro by_swap_and_set by_a_slice by_copy by_fill by_last_of_an_iterator by_mem_swap by_zip
        by_a_forgotten_iterator by_an_atomic in_part_of_a_snapshot in_part_of_other_snapshots;
}
