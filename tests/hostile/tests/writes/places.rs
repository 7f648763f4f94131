//! Writes to place expressions, and by functions that receive them.

use core::cell::Cell;
use core::ops::DerefMut;

use ikra::prelude::*;

class!();

struct Lent<'a>(&'a mut u32);
impl core::ops::Deref for Lent<'_> {
    type Target = u32;
    fn deref(&self) -> &u32 {
        self.0
    }
}
impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut u32 {
        self.0
    }
}

#[soa_methods]
impl Node {
    #[kernel]
    pub fn mem_replace(&mut self) {
        let before = core::mem::replace(&mut self.x, 0);
        self.x = before + 1;
    }
    #[kernel]
    pub fn mem_take_and_swap(&mut self) {
        let mut before = core::mem::take(&mut self.y) + 1;
        core::mem::swap(&mut self.y, &mut before);
    }
    #[kernel]
    pub fn mem_replace_only(&mut self) {
        let _ = core::mem::replace(&mut self.v, Vel { x: 4, y: 4 });
    }
    #[kernel]
    pub fn index_mut_of_ones_own(&mut self) {
        self.v[7] += 1;
    }
    #[kernel]
    pub fn add_assign_of_ones_own(&mut self) {
        self.v += 1;
    }
    #[kernel]
    pub fn block_as_a_place(&mut self) {
        *{ &mut self.x } += 1;
    }
    #[kernel]
    pub fn if_as_a_place(&mut self) {
        *if self.y > 3 { &mut self.x } else { &mut self.y } += 1;
    }
    #[kernel]
    pub fn match_as_a_place(&mut self) {
        *match self.x {
            5 => &mut self.v.y,
            _ => &mut self.v.x,
        } += 1;
    }
    #[kernel]
    pub fn labelled_block_as_a_place(&mut self) {
        *'found: {
            if self.x == 5 {
                break 'found &mut self.pair[0];
            }
            &mut self.pair[1]
        } += 1;
    }
    #[kernel]
    pub fn loop_as_a_place(&mut self) {
        *loop {
            break &mut self.y;
        } += 1;
    }
    #[kernel]
    pub fn raw_borrow(&mut self) {
        let place = &raw mut self.x;
        let _ = place;
        self.x += 1;
    }
    #[kernel]
    pub fn alias_of_a_field(&mut self) {
        let v = &mut self.v;
        let x = &mut v.x;
        *x += 1;
    }
    #[kernel]
    pub fn alias_of_self(&mut self) {
        let me = self;
        me.x += 1;
    }
    #[kernel]
    pub fn alias_of_an_alias(&mut self) {
        let me = &mut *self;
        let it = me;
        it.v.bump();
    }
    #[kernel]
    pub fn cell_from_mut(&mut self) {
        let cell = Cell::from_mut(&mut self.x);
        cell.set(cell.get() + 1);
    }
    #[kernel]
    pub fn slice_of_cells(&mut self) {
        let cells = Cell::from_mut(&mut self.pair[..]).as_slice_of_cells();
        cells[2].set(cells[2].get() + 1);
    }
    #[kernel]
    pub fn as_mut(&mut self) {
        *(&mut self.v).as_mut() += 1;
    }
    #[kernel]
    pub fn split_at_mut(&mut self) {
        let (first, rest) = self.pair.split_at_mut(1);
        core::mem::swap(&mut first[0], &mut rest[0]);
        rest[1] += 1;
    }
    #[kernel]
    pub fn behind_deref_mut(&mut self) {
        let mut lent = Lent(&mut self.x);
        *lent += 1;
    }
    #[kernel]
    pub fn a_mutable_trait_object(&mut self) {
        let v = &mut self.v as &mut dyn core::ops::AddAssign<u32>;
        v.add_assign(1);
    }
    #[kernel]
    pub fn by_map_of_an_option(&mut self) {
        Some(&mut self.x).map(|x| *x += 1);
    }
    #[kernel]
    pub fn early_return(&mut self) {
        if self.y == 6 {
            self.x += 1;
            return;
        }
        self.x = 0;
    }
    #[kernel]
    pub fn in_a_condition(&mut self) {
        if {
            self.x += 1;
            self.x
        } == 6
        {
            return;
        }
        self.y = 0;
    }
    #[kernel]
    pub fn in_an_index(&mut self) {
        let _ = self.pair[{
            self.x += 1;
            0
        }];
    }
    #[kernel]
    pub fn in_a_range(&mut self) {
        for _ in 0..({
            self.x += 1;
            2
        }) {}
    }
    #[kernel]
    pub fn in_a_const_block_beside(&mut self) {
        let by = const { 1 };
        self.x += by;
    }
    #[kernel]
    pub fn question_mark(&mut self) -> Option<()> {
        *self.pair.last_mut()? += 1;
        let _: u32 = None?;
        self.x = 0;
        Some(())
    }
    #[kernel]
    pub fn an_assignment_as_a_value(&mut self) {
        let () = self.x += 1;
        match self.y = 6 {
            () => {}
        }
    }
    #[kernel]
    pub fn by_a_box(&mut self) {
        let boxed: Box<&mut u32> = Box::new(&mut self.x);
        **boxed += 1;
    }
    #[kernel]
    pub fn by_a_vector(&mut self) {
        let places = std::vec::Vec::from([&mut self.x, &mut self.y]);
        for place in places {
            if *place == 6 {
                *place += 1;
            }
        }
    }
}

programs! {
    Stored: mem_replace mem_take_and_swap mem_replace_only index_mut_of_ones_own add_assign_of_ones_own block_as_a_place
        if_as_a_place match_as_a_place labelled_block_as_a_place loop_as_a_place raw_borrow alias_of_a_field
        cell_from_mut slice_of_cells as_mut split_at_mut behind_deref_mut a_mutable_trait_object by_map_of_an_option
        early_return in_a_condition in_an_index in_a_range in_a_const_block_beside an_assignment_as_a_value by_a_box
        by_a_vector alias_of_self alias_of_an_alias;
}

#[test]
fn question_mark() {
    crate::node::assert_one_more::<Graph>("question_mark", crate::node::Came::Stored, |world| {
        assert!(world.execute_and_collect(Node::question_mark, ()).iter().all(Option::is_none));
    });
}
