//! Counts comments that prove an `unsafe` operation sound.

/// The number of SAFETY comments in a text, and the number that only forward the obligation.
pub fn proofs(text: &str) -> (usize, usize) {
    let (mut all, mut forwarding) = (0, 0);
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let Some(first) = beginning(line) else { continue };
        let mut proof = first.trim().to_owned();
        while let Some(next) = lines.next_if(|line| line.starts_with("// ") && beginning(line).is_none()) {
            proof.push(' ');
            proof.push_str(&next[3..]);
        }
        all += 1;
        forwarding += usize::from(only_forwards(&proof));
    }
    (all, forwarding)
}

/// The first line of a proof, without its marker.
fn beginning(line: &str) -> Option<&str> {
    line.strip_prefix("// ")?.strip_prefix("SAFETY:")
}

/// Whether a proof names no fact: it refers to another contract, without a reason why that holds here.
fn only_forwards(proof: &str) -> bool {
    let proof = proof.trim_end_matches('.');
    let is_one_clause = !proof.contains([',', ';', ':', '.']);
    match proof.split_once(' ') {
        Some(("by", "the caller") | ("as", "above" | "the caller promises") | ("the", "same")) => true,
        _ if proof.starts_with("the contract is the same") => !proof.contains([';', ':', '.']),
        _ if proof.starts_with("passed on") || proof.starts_with("as for ") || proof.starts_with("as in ") => {
            is_one_clause
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::proofs;

    /// A separate constant, so that the compiler's lints do not take this file's texts for proofs.
    const MARK: &str = "SAFETY:";

    #[test]
    fn proofs_that_name_a_fact_do_not_only_forward() {
        let forward = [
            "by the caller.",
            "as above.",
            "passed on to who calls it.",
            "as for `read`.",
            "the contract is the same, for all.",
        ];
        let facts = [
            "the index is in range, by the caller.",
            "by the caller; the list is in global memory.",
            "as for a load, and no other thread writes it.",
            "passed on; the row was written before the barrier.",
            "by 1 the elements are adjacent.",
        ];
        for (proof, expected) in forward.map(|proof| (proof, 1)).into_iter().chain(facts.map(|proof| (proof, 0))) {
            assert_eq!(proofs(&format!("    // {MARK} {proof}\n    unsafe {{ f() }}\n")), (1, expected), "{proof}");
        }
    }

    #[test]
    fn a_proof_goes_on_over_lines() {
        let text = format!("// {MARK} by the caller.\n// More than that.\n// {MARK} as above.\nunsafe {{ f() }}");
        assert_eq!(proofs(&text), (2, 1));
        assert_eq!(proofs("// No proof.\n/// SAFETY\n"), (0, 0));
    }
}
