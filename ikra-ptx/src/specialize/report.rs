//! What a specialisation did.

use std::fmt;

/// What [`specialize`](super::specialize) did. It prints as lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Instructions of the kernel before.
    pub before: usize,
    /// Instructions after.
    pub after: usize,
    /// Blocks of the kernel that were evaluated.
    pub blocks: usize,
    /// Versions of them in the new kernel.
    pub versions: usize,
    /// Loads in these versions whose results were known, other than those of parameters.
    pub loads: usize,
    /// The bytes that they would have loaded.
    pub bytes: usize,
    /// Branches in these versions that were decided, or that nobody takes.
    pub branches: usize,
    /// Iterations of loops that got code of their own.
    pub iterations: usize,
    /// Instructions that the evaluator visited.
    pub steps: usize,
    /// Loops that were not unrolled: nothing known flows into them or ends them, or the program would have become too
    /// large.
    pub rolled: usize,
    /// Blocks at which knowledge was given up, since there were too many versions of them.
    pub widened: usize,
    /// Whether the budget was too small for the best program.
    pub is_limited: bool,
    /// Variables of the new module in global and constant memory that are not constant: it has its own, apart from
    /// those of the module from which it was made.
    pub variables: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "instructions: {} before, {} after", self.before, self.after)?;
        writeln!(f, "versions: {} of {} blocks, evaluated in {} steps", self.versions, self.blocks, self.steps)?;
        writeln!(f, "known loads: {} of {} bytes", self.loads, self.bytes)?;
        writeln!(f, "decided branches: {}", self.branches)?;
        writeln!(f, "unrolled iterations: {}", self.iterations)?;
        writeln!(f, "loops not unrolled: {}", self.rolled)?;
        writeln!(f, "blocks widened: {}", self.widened)?;
        writeln!(f, "limited by the budget: {}", if self.is_limited { "yes" } else { "no" })?;
        if !self.variables.is_empty() {
            writeln!(f, "variables of its own: {}", self.variables.join(", "))?;
        }
        Ok(())
    }
}
