//! Threads that compile kernels while the program goes on.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread::{Builder, JoinHandle};

use ikra_ptx::Module;

/// A thread that compiles a kernel. Whoever drops it waits for it: no thread outlives its world.
#[derive(Debug)]
pub(crate) struct Compiling<T>(Option<JoinHandle<Result<T, String>>>);

impl<T: Send + 'static> Compiling<T> {
    /// Starts a thread of this name.
    ///
    /// # Errors
    ///
    /// The reason why no thread could be started.
    pub(crate) fn start(name: &str, work: impl FnOnce() -> Result<T, String> + Send + 'static) -> Result<Self, String> {
        let thread = Builder::new().name(name.to_owned()).spawn(work);
        thread.map(|thread| Self(Some(thread))).map_err(|error| format!("no thread could be started: {error}"))
    }
}

impl<T> Compiling<T> {
    pub(crate) fn is_done(&self) -> bool {
        self.0.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for it.
    pub(crate) fn result(mut self) -> Result<T, String> {
        let thread = self.0.take().ok_or("it was not started")?;
        thread.join().unwrap_or_else(|_| Err(String::from("the compiler panicked, see above")))
    }
}

impl<T> Drop for Compiling<T> {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            drop(thread.join());
        }
    }
}

/// Device code as a program, once it has been needed.
#[derive(Debug, Default)]
pub(crate) struct Program(OnceLock<Result<Module, String>>);

impl Program {
    /// The program of a text: the same as long as anyone keeps it, since a text has megabytes.
    pub(crate) fn of(text: &'static str) -> Arc<Self> {
        static KNOWN: Mutex<Vec<(&str, Weak<Program>)>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(_, program)| program.strong_count() > 0);
        let is_same = |other: &str| std::ptr::eq(other, text);
        if let Some(program) = known.iter().find(|(other, _)| is_same(other)).and_then(|(_, program)| program.upgrade())
        {
            return program;
        }
        let program = Arc::default();
        known.push((text, Arc::downgrade(&program)));
        program
    }

    /// The program of its text, which is parsed once.
    pub(crate) fn parsed(&self, text: &str) -> Result<&Module, String> {
        let parsed = self.0.get_or_init(|| Module::parse(text).map_err(|error| error.to_string()));
        parsed.as_ref().map_err(Clone::clone)
    }
}
