//! Comparison of two cities, object by object.

use std::collections::HashMap;
use std::rc::Rc;

use crate::Failure;
use crate::city::City;
use crate::plain::{PlainActor, PlainStreet};

/// The number of each street of a city, by its address.
struct Numbers(HashMap<*const PlainStreet, usize>);

impl Numbers {
    fn new(streets: &[Rc<PlainStreet>]) -> Self {
        Self(streets.iter().enumerate().map(|(n, street)| (Rc::as_ptr(street), n)).collect())
    }

    /// A street by its name, length and number, and the numbers of those that follow it.
    fn street<'s>(&self, street: &'s PlainStreet) -> (&'s str, u32, Vec<Option<usize>>) {
        let onward = street.onward.borrow();
        let onward = onward.iter().map(|next| self.0.get(&next.as_ptr()).copied()).collect();
        (&street.name, street.length.to_bits(), onward)
    }

    /// All fields of an actor.
    fn actor(&self, actor: &dyn PlainActor) -> (&'static str, Option<usize>, [u32; 4]) {
        let street = self.0.get(&Rc::as_ptr(&actor.street().borrow())).copied();
        let numbers = [actor.progress().get(), actor.max_velocity()].map(f32::to_bits);
        (actor.class(), street, [numbers[0], numbers[1], actor.random().get(), actor.waits()])
    }
}

/// Compares all objects. Links are equal if they are to objects with the same number.
pub(crate) fn compare(found: &City, expected: &City) -> Result<(), Failure> {
    let [of_found, of_expected] = [found, expected].map(|city| Numbers::new(&city.streets));
    for (found, expected) in found.streets.iter().zip(&expected.streets) {
        if of_found.street(found) != of_expected.street(expected) {
            return Err(Failure::Street { name: expected.name.clone() });
        }
    }
    for (number, (found, expected)) in (1..).zip(found.actors.iter().zip(&expected.actors)) {
        if of_found.actor(&**found) != of_expected.actor(&**expected) {
            return Err(Failure::Actor { number, found: place(&**found), expected: place(&**expected) });
        }
    }
    Ok(())
}

/// Where an actor is, in words.
fn place(actor: &dyn PlainActor) -> String {
    format!("{} m into {}", actor.progress().get(), actor.street().borrow().name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_found() {
        let [city, other] = [(), ()].map(|()| City::new(50, 100, 1));
        compare(&city, &other).unwrap();
        let message = || compare(&city, &other).unwrap_err().to_string();

        let actor = &city.actors[41];
        let progress = actor.progress().replace(1.5);
        assert!(message().starts_with("actor 42 is 1.5 m into "), "{}", message());
        actor.progress().set(progress);
        compare(&city, &other).unwrap();

        let state = actor.random().replace(7);
        assert!(message().starts_with("actor 42 is "));
        actor.random().set(state);
        compare(&city, &other).unwrap();

        // Another street of the same values.
        let before = Rc::clone(&actor.street().borrow());
        let copy = PlainStreet { name: before.name.clone(), length: before.length, onward: before.onward.clone() };
        actor.street().replace(Rc::new(copy));
        assert!(message().starts_with("actor 42 is "));
        actor.street().replace(before);
        compare(&city, &other).unwrap();

        city.streets[3].onward.borrow_mut().push(Rc::downgrade(&city.streets[4]));
        assert_eq!(message(), "4th Street differs from that of the plain program");
    }
}
