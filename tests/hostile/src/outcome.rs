//! The outcome of code that may panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// Parts of the panic messages that the programs expect.
const EXPECTED: [&str; 7] = [
    "on purpose",
    "another object's handle",
    "is out of range",
    "does not belong",
    "in a way that its text",
    "is a link to",
    "overflow",
];

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// It returned this.
    Returned(T),
    /// It panicked with this message; empty if the payload is not text.
    Panicked(String),
}

impl<T> Outcome<T> {
    /// The message, if the call panicked.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Returned(_) => None,
            Self::Panicked(message) => Some(message),
        }
    }
}

/// Hides the messages of intended panics: there would be thousands.
pub fn hush() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let shown = match text(info.payload()) {
                Some(text) => !EXPECTED.iter().any(|words| text.contains(words)),
                None => false,
            };
            if shown {
                before(info);
            }
        }));
    });
}

/// Runs code that may panic.
pub fn outcome<T>(work: impl FnOnce() -> T) -> Outcome<T> {
    hush();
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => Outcome::Returned(result),
        Err(payload) => Outcome::Panicked(text(&*payload).unwrap_or_default().to_owned()),
    }
}

/// The payload of an expected panic.
///
/// # Panics
///
/// If `work` does not panic.
pub fn panics<T>(work: impl FnOnce() -> T) -> Box<dyn Any + Send> {
    hush();
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(_) => panic!("there was to be a panic, and there was none"),
        Err(payload) => payload,
    }
}

fn text(payload: &(dyn Any + Send)) -> Option<&str> {
    payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied())
}
