//! Writes by macros: user macros, standard library macros, and parts of a place as tokens.

use ikra::prelude::*;

class!();

macro_rules! add_one {
    ($place:expr) => {
        $place += 1
    };
}
macro_rules! add_to {
    ($object:ident . $field:ident) => {
        $object.$field += 1
    };
}
macro_rules! add_to_x {
    ($object:ident) => {
        $object.x += 1
    };
}
macro_rules! call {
    ($object:ident, $method:ident) => {
        $object.$method()
    };
}
macro_rules! in_parentheses {
    (($($tokens:tt)*)) => {
        $($tokens)*
    };
}
macro_rules! assign {
    ($($place:tt)*) => {
        $($place)* += 1
    };
}
macro_rules! twice {
    ($body:block) => {
        if true $body
    };
}
macro_rules! by_pattern {
    ($value:expr, $pattern:pat => $then:expr) => {
        match $value {
            $pattern => $then,
        }
    };
}
macro_rules! statement {
    ($statement:stmt) => {
        $statement
    };
}

#[soa_methods]
impl Node {
    fn helper(&mut self) {
        self.x += 1;
    }
    #[kernel]
    pub fn an_expression(&mut self) {
        add_one!(self.x);
    }
    #[kernel]
    pub fn self_and_a_name(&mut self) {
        add_to!(self.y);
    }
    #[kernel]
    pub fn self_alone(&mut self) {
        add_to_x!(self);
    }
    #[kernel]
    pub fn self_and_a_method(&mut self) {
        call!(self, helper);
    }
    #[kernel]
    pub fn parentheses(&mut self) {
        in_parentheses!((self.x += 1));
    }
    #[kernel]
    pub fn tokens(&mut self) {
        assign!(self.v.x);
    }
    #[kernel]
    pub fn a_block(&mut self) {
        twice!({ self.x += 1 });
    }
    #[kernel]
    pub fn a_pattern(&mut self) {
        by_pattern!(&mut self.v, Vel { x, .. } => *x += 1);
    }
    #[kernel]
    pub fn a_statement(&mut self) {
        statement!(self.x += 1);
    }
    #[kernel]
    pub fn defined_within(&mut self) {
        macro_rules! here {
            () => {
                self.x += 1
            };
        }
        here!();
    }
    #[kernel]
    pub fn defined_within_and_nested(&mut self) {
        macro_rules! outer {
            ($by:expr) => {{
                macro_rules! inner {
                    () => {
                        self.y += $by
                    };
                }
                inner!();
            }};
        }
        outer!(1);
    }
    #[kernel]
    pub fn within_format(&mut self) {
        let _ = format!("{}", {
            self.x += 1;
            self.x
        });
    }
    #[kernel]
    pub fn within_assert(&mut self) {
        assert!({
            self.x += 1;
            true
        });
    }
    #[kernel]
    pub fn within_vec(&mut self) {
        let _ = vec![{
            self.x += 1;
            0
        }];
    }
    #[kernel]
    pub fn within_matches(&mut self) {
        let _ = matches!(
            {
                self.x += 1;
                1
            },
            1
        );
    }
    #[kernel]
    pub fn within_matches_by_a_guard(&mut self) {
        let _ = matches!(1, 1 if {
            self.x += 1;
            true
        });
    }
    #[kernel]
    pub fn a_reference_within_dbg_like(&mut self) {
        let _ = stringify!(self.x = 1);
        self.x += 1;
    }
    #[kernel]
    pub fn write_into_a_field(&mut self) {
        use core::fmt::Write as _;
        write!(self.flat_out(), "1").unwrap();
    }
    fn flat_out(&mut self) -> Out<'_> {
        Out(&mut self.x)
    }
    // The method takes `&mut self` of a number, which the text does not show.
    #[kernel]
    pub fn autoref_within_assert(&mut self) {
        assert!(self.v.bumped());
    }
    #[kernel]
    pub fn autoref_within_format(&mut self) {
        let _ = format!("{}", self.v.bumped());
    }
    #[kernel]
    pub fn autoref_within_matches(&mut self) {
        let _ = matches!(self.v.bumped(), true);
    }
    #[kernel]
    pub fn autoref_within_vec(&mut self) {
        let _ = vec![self.v.bumped()];
    }
    #[kernel]
    pub fn autoref_in_parentheses(&mut self) {
        in_parentheses!((self.v.bumped()));
    }
}

pub struct Out<'a>(&'a mut u32);
impl core::fmt::Write for Out<'_> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        *self.0 += text.len() as u32;
        Ok(())
    }
}

impl Vel {
    fn bumped(&mut self) -> bool {
        self.x += 1;
        true
    }
}

programs! {
    Stored: an_expression self_and_a_name self_alone self_and_a_method parentheses tokens a_block a_pattern a_statement
        defined_within defined_within_and_nested within_format within_assert within_vec within_matches
        within_matches_by_a_guard a_reference_within_dbg_like write_into_a_field;
    Refused: autoref_within_assert autoref_within_format autoref_within_matches autoref_within_vec autoref_in_parentheses;
}
