//! Explains why a use of an atomic field is refused, and how to fix it.

use super::sealed::HasRule;
use super::{AtomicOwner, Operation, Rule, uses};
use crate::info::ClassInfo;
use crate::message::Message;
use crate::phase::Phase;

/// "order of threads: in kernel `A::k`, `B::f`".
pub(super) const fn describe<P: Phase, C: ClassInfo>(field: usize) -> Message {
    Message::new()
        .push("order of threads: in kernel `")
        .push(P::EFFECTS.kernel())
        .push("`, `")
        .push(C::NAME)
        .push("::")
        .push(C::FIELDS[field].name)
        .push("`")
}

/// Each kind of use, and its names in messages: first for the kernel's own object, then for others.
const NAMES: [(u16, &str, &str); 8] = [
    (uses::LOAD, "loaded", "loaded"),
    (uses::STORE, "stored", "stored to another object"),
    (uses::ADD, "added to", "added to"),
    (uses::MIN, "updated by `min`", "updated by `min`"),
    (uses::MAX, "updated by `max`", "updated by `max`"),
    (uses::OR, "updated by `or`", "updated by `or`"),
    (uses::AND, "updated by `and`", "updated by `and`"),
    (uses::EXCHANGE, "exchanged for its value before", "exchanged for its value before"),
];

/// "loaded, and added to".
pub(super) const fn list(mut message: Message, own: u16, other: u16) -> Message {
    let (mut n, mut first) = (0, true);
    while n < NAMES.len() {
        let (bit, of_own, of_other) = NAMES[n];
        if (own | other) & bit != 0 {
            if !first {
                message = message.push(" and ");
            }
            first = false;
            message = message.push(if other & bit != 0 { of_other } else { of_own });
        }
        n += 1;
    }
    message
}

/// The ways out of a conflict.
pub(super) const fn ways_out(message: Message, all: u16, name: &str) -> Message {
    let message = message.push(", so that the result depends on the order. ");
    let message = if all & uses::EXCHANGE != 0 {
        message.push(
            "Use an update that returns nothing (write `add` for `fetch_add`, `min` or `claim` for `swap`) and load the field in the next kernel",
        )
    } else if all == uses::STORE {
        message.push(
            "Different objects may store different values: use an update that commutes (`min`, `max`, `or(true)`, …) and load it in the next kernel",
        )
    } else {
        message.push(
            "Split the kernel in two, or only update the field by one operation that commutes (`add`, `min`, `max`, `or`, `and`) and load it in the next kernel",
        )
    };
    message
        .push(", or, if the result is the same in every order, say `#[kernel(unordered(")
        .push(name)
        .push("))]`. (Fields of this name in other classes count too.)")
}

/// The reason why an operation is not allowed by the kernel's rule.
pub(super) const fn refusal<A: AtomicOwner>(operation: Operation) -> Message {
    let name = A::Class::FIELDS[A::FIELD].name;
    let message = describe::<A::Phase, A::Class>(A::FIELD);
    let own = if A::OWN { operation.bit() } else { 0 };
    let other = if A::OWN { 0 } else { operation.bit() };
    if let Operation::AddFloat = operation {
        return message
            .push(" is a floating-point number that others add to: sums round differently in another order. Make it an `ikra::Fixed`, whose sums are exact, or sum by `reduce(Sum)`, or, if the difference does not matter, say `#[kernel(unordered(")
            .push(name)
            .push("))]`");
    }
    let (message, found) = match <A::Rule as HasRule>::RULE {
        Rule::Updates(kind) => {
            (list(message.push(" is "), kind, kind).push(", and, where the text does not show it, "), kind)
        }
        Rule::Own => (
            message.push(" is changed as that of its own object alone, and, where the text does not show it, "),
            uses::STORE,
        ),
        Rule::Loads | Rule::Anything => {
            let listed = A::Phase::EFFECTS.atomics.of(name);
            let loads = (listed.own | listed.other) & uses::LOAD;
            if loads == 0 {
                let message = list(message.push(" is "), own, other).push(" where its text does not show it. ");
                return to_list(message, operation, A::OWN, name);
            }
            (list(message.push(" is "), loads, loads).push(", and, where the text does not show it, "), loads)
        }
    };
    ways_out(list(message, own, other), found | operation.bit(), name)
}

/// The option that declares an operation that the text does not show.
const fn to_list(message: Message, operation: Operation, own: bool, name: &str) -> Message {
    let option = match operation {
        Operation::Load => "loads(",
        Operation::Add => "updates(add(",
        Operation::Min => "updates(min(",
        Operation::Max => "updates(max(",
        Operation::Or => "updates(or(",
        Operation::And => "updates(and(",
        Operation::Store | Operation::Exchange | Operation::AddFloat if own => "stores(",
        Operation::Store | Operation::Exchange | Operation::AddFloat => {
            return ways_out(message.push("It is another object's"), operation.bit(), name);
        }
    };
    let message = message.push("List it: `#[kernel(").push(option).push(name);
    message.push(match operation {
        Operation::Load | Operation::Store | Operation::Exchange | Operation::AddFloat => "))]`",
        _ => ")))]`",
    })
}
