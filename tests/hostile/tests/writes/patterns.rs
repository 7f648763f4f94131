//! Writes through patterns.

use ikra::prelude::*;

class!();

#[soa_methods]
impl Node {
    #[kernel]
    pub fn ref_mut_in_let(&mut self) {
        let Vel { ref mut x, .. } = self.v;
        *x += 1;
    }
    #[kernel]
    pub fn ref_mut_of_a_field(&mut self) {
        let ref mut x = self.x;
        *x += 1;
    }
    #[kernel]
    pub fn match_by_reference(&mut self) {
        match &mut self.v {
            Vel { x, .. } => *x += 1,
        }
    }
    #[kernel]
    pub fn match_ref_mut(&mut self) {
        match self.v {
            ref mut v => v.x += 1,
        }
    }
    #[kernel]
    pub fn match_with_a_guard(&mut self) {
        match self.pair {
            [ref mut a, ..] if *a > 100 => *a = 0,
            [.., ref mut c] => *c += 1,
        }
    }
    #[kernel]
    pub fn if_let_slice(&mut self) {
        if let [_, ref mut b, ..] = self.pair {
            *b += 1;
        }
    }
    #[kernel]
    pub fn slice_pattern_of_a_slice(&mut self) {
        if let [.., last] = &mut self.pair[..] {
            *last += 1;
        }
    }
    #[kernel]
    pub fn binding_at(&mut self) {
        match self.x {
            ref mut x @ 0..=100 => *x += 1,
            _ => {}
        }
    }
    #[kernel]
    pub fn let_else(&mut self) {
        let [first, ..] = &mut self.pair else { return };
        *first += 1;
    }
    #[kernel]
    pub fn let_chain(&mut self) {
        if let [a, ..] = &mut self.pair
            && *a > 0
            && let Vel { y, .. } = &mut self.v
            && *y > 0
        {
            *y += 1;
        }
    }
    #[kernel]
    pub fn while_let_iter_mut(&mut self) {
        let mut elements = self.pair.iter_mut();
        while let Some(element) = elements.next() {
            if *element == 2 {
                *element += 1;
                break;
            }
        }
    }
    #[kernel]
    pub fn nested_tuple(&mut self) {
        let (Vel { x, .. }, [_, _, c]) = (&mut self.v, &mut self.pair);
        core::mem::swap(x, c);
        *x += 1;
    }
    #[kernel]
    pub fn destructuring_tuple(&mut self) {
        (self.x, _) = (self.x + 1, 0);
    }
    #[kernel]
    pub fn destructuring_struct(&mut self) {
        Vel { x: self.v.x, .. } = Vel { x: self.v.x + 1, y: 0 };
    }
    #[kernel]
    pub fn destructuring_slice(&mut self) {
        [self.pair[1], ..] = [self.pair[1] + 1, 9, 9];
    }
    #[kernel]
    pub fn destructuring_deep(&mut self) {
        (_, (Vel { y: self.v.y, .. }, [self.y, self.x])) = (0, (self.v, [self.y, self.x + 1]));
    }
    #[kernel]
    pub fn for_pattern(&mut self) {
        for (n, element) in self.pair.iter_mut().enumerate() {
            if n == 2 {
                *element += 1;
            }
        }
    }
    #[kernel]
    pub fn or_pattern(&mut self) {
        match (&mut self.x, self.y) {
            (x, 1 | 6) | (x, 7..) => *x += 1,
            _ => {}
        }
    }
    #[kernel]
    pub fn parameter_pattern(&mut self) {
        fn one(&mut Vel { ref mut y, .. }: &mut Vel) {
            *y += 1;
        }
        one(&mut self.v);
    }
    #[kernel]
    pub fn flattened(&mut self) {
        let Vel { ref mut x, .. } = self.flat;
        *x += 1;
    }
}

programs! {
    Stored: ref_mut_in_let ref_mut_of_a_field match_by_reference match_ref_mut match_with_a_guard if_let_slice
        slice_pattern_of_a_slice binding_at let_else let_chain while_let_iter_mut nested_tuple destructuring_tuple
        destructuring_struct destructuring_slice destructuring_deep for_pattern or_pattern parameter_pattern flattened;
}

/// A pattern destructures the whole view.
mod whole {
    use ikra::prelude::*;

    class!();

    #[soa_methods]
    impl Node {
        #[kernel]
        pub fn whole_self(&mut self) {
            let Self { x, .. } = self;
            *x += 1;
        }
        #[kernel]
        pub fn whole_self_in_match(&mut self) {
            match self {
                Self { v: Vel { y, .. }, .. } => *y += 1,
            }
        }
        #[kernel]
        pub fn two_parts(&mut self) {
            let Self { x, y, .. } = self;
            core::mem::swap(x, y);
            *x += 1;
        }
    }
    programs! { Stored: whole_self whole_self_in_match two_parts; }
}
