//! Programs of the texts that were loaded last: each world loads its module, and a test has many worlds.

use std::collections::HashSet;
use std::sync::Arc;

use crate::machine::{LoadError, Program};

/// The number of texts that are kept.
const MOST: usize = 4;

/// A text, parsed and decoded.
pub(crate) struct Known {
    text: Box<str>,
    pub(crate) program: Arc<Program>,
    /// The kernels whose first instruction waits for the kernels before them.
    pub(crate) waiting: HashSet<String>,
}

/// The texts that were loaded last, the oldest one first.
#[derive(Default)]
pub(crate) struct Programs(Vec<Arc<Known>>);

impl Programs {
    /// The program of a text.
    ///
    /// # Errors
    ///
    /// The first line that is not understood.
    pub(crate) fn of(&mut self, text: &str) -> Result<Arc<Known>, LoadError> {
        let known = match self.0.iter().position(|known| *known.text == *text) {
            Some(at) => self.0.remove(at),
            None => {
                let program = Arc::new(Program::load(text)?);
                Arc::new(Known { text: text.into(), program, waiting: waiting(text) })
            }
        };
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push(Arc::clone(&known));
        Ok(known)
    }
}

/// The kernels that wait for the kernels before them, before they do anything else.
fn waiting(text: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    if !text.contains("griddepcontrol.wait") {
        return found;
    }
    for (start, _) in text.match_indices(".entry ") {
        let rest = text[start + ".entry ".len()..].trim_start();
        let name = rest.split(['(', ' ', '\t', '\r', '\n', '{', ';']).next().unwrap_or_default();
        let body = rest.split_once('{').map(|(_, body)| body);
        // Declarations are not instructions.
        let mut statements = body.into_iter().flat_map(|body| body.split(';')).map(str::trim);
        let first = statements.find(|statement| !statement.starts_with(".reg") && !statement.starts_with(".local"));
        if first == Some("griddepcontrol.wait") {
            found.insert(name.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(n: usize) -> String {
        format!(
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k{n}()\n{{\n\tgriddepcontrol.wait;\n\tret;\n}}\n"
        )
    }

    #[test]
    fn a_text_is_decoded_once() {
        let mut programs = Programs::default();
        let first = programs.of(&text(0)).unwrap();
        assert_eq!(first.program.kernels().len(), 1);
        assert!(first.waiting.contains("k0"));
        for n in 1..MOST {
            programs.of(&text(n)).unwrap();
        }
        assert!(Arc::ptr_eq(&first.program, &programs.of(&text(0)).unwrap().program));
        // The first one is the newest now: another text drops the second one.
        let second = programs.of(&text(1)).unwrap();
        programs.of(&text(MOST)).unwrap();
        programs.of(&text(MOST + 1)).unwrap();
        assert!(Arc::ptr_eq(&second.program, &programs.of(&text(1)).unwrap().program));
        assert_eq!(programs.0.len(), MOST);
        assert!(!programs.0.iter().any(|known| *known.text == *text(2)));
        assert!(programs.of("nothing").is_err());
    }
}
