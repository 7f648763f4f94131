//! After which launches all blocks wait for each other.
//!
//! Launches between two meetings form a *group*. They read and write different memories, so it does not show in which order
//! their blocks run. The test at the start of an iteration belongs to a group as a launch does.

use std::ops::Range;

use super::{Iteration, are_apart};
use crate::{Module, Opcode};

/// What the host can read about the loop after a meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Report {
    /// Whether this iteration has ended, and the next one's launches begin.
    pub(super) ended: bool,
    /// The launch that fails, if one of the group does.
    pub(super) launch: usize,
}

/// The meetings of an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Meetings {
    /// For each launch the report of the meeting after it; `None` if there is no meeting.
    pub(super) after: Vec<Option<Report>>,
    /// The launch that fails, if one of the loop's first group does.
    pub(super) first: usize,
}

impl Meetings {
    /// The fewest meetings. `can_fail` says it for each launch.
    pub(super) fn of(iteration: &Iteration<'_>, can_fail: &[bool]) -> Self {
        let reaches: Vec<_> = iteration.launches.iter().map(|launch| launch.reach).collect();
        let (count, test) = (reaches.len(), [iteration.test]);
        let all_apart = |some: &[Option<&[u32]>], others: &[Option<&[u32]>]| {
            some.iter().all(|&one| others.iter().all(|&other| are_apart(one, other)))
        };
        // A report names one launch.
        let fails = |group: Range<usize>| can_fail[group].iter().filter(|&&can_fail| can_fail).count();
        let mut waits = vec![true; count];
        // Where lists are emptied relies on a meeting after each launch.
        if !iteration.has_list {
            let mut group = 0..1;
            for next in 1..count {
                let own = &reaches[next..=next];
                let is_apart = all_apart(own, &reaches[group.clone()]) && (group.start > 0 || all_apart(own, &test));
                let may_join = is_apart && fails(group.start..next + 1) <= 1;
                waits[next - 1] = !may_join;
                group = if may_join { group.start } else { next }..next + 1;
            }
            // The last group goes on in the next iteration, if there is another meeting in between.
            if let Some(first) = waits[..count - 1].iter().position(|&waits| waits) {
                let (head, tail) = (&reaches[..=first], &reaches[group.clone()]);
                let is_apart = all_apart(tail, head) && all_apart(tail, &test) && all_apart(head, &test);
                waits[count - 1] = !(is_apart && fails(0..first + 1) + fails(group) <= 1);
            }
        }
        // The group after a launch, which may be in the next iteration: the launch that can fail, or the first one.
        let report = |launch: usize| {
            let end = (launch + 1..launch + count).find(|number| waits[number % count]).unwrap_or(launch + count);
            let failing = (launch + 1..=end).find(|number| can_fail[number % count]).unwrap_or(launch + 1);
            Report { ended: failing >= count, launch: failing % count }
        };
        let first = report(count - 1).launch;
        let after = (0..count).map(|launch| waits[launch].then(|| report(launch))).collect();
        Self { after, first }
    }
}

/// Whether a kernel, in a module with what it needs alone, can fail: by a call, or by itself.
pub(super) fn can_fail(alone: &Module) -> bool {
    let ends = |opcode| matches!(opcode, Opcode::Call | Opcode::Trap | Opcode::Brkpt | Opcode::Exit);
    let bodies = alone.functions().filter_map(|function| function.body.as_ref());
    bodies.flat_map(|body| body.instructions()).any(|(_, one)| ends(one.opcode))
}

#[cfg(test)]
mod tests {
    use super::super::Launch;
    use super::*;

    fn meetings(reaches: &[Option<&[u32]>], test: Option<&[u32]>, can_fail: &[bool]) -> Meetings {
        let launches: Vec<_> = reaches.iter().map(|&reach| Launch { kernel: "k", length: None, reach }).collect();
        let iteration = Iteration { launches: &launches, has_list: false, alternating: 1, test };
        Meetings::of(&iteration, can_fail)
    }

    const fn at(ended: bool, launch: usize) -> Option<Report> {
        Some(Report { ended, launch })
    }

    #[test]
    fn launches_that_share_memory_wait() {
        let (one, both): (Option<&[u32]>, Option<&[u32]>) = (Some(&[1]), Some(&[1, 2]));
        let none = [false; 3];
        // Reads 1, reads both, writes 2; the test reads 3, which the second one writes.
        let second: Option<&[u32]> = Some(&[1, 2, 3]);
        let made = meetings(&[one, second, Some(&[2])], Some(&[3]), &none);
        assert_eq!(made, Meetings { after: vec![at(false, 1), at(false, 2), None], first: 0 });
        // What is not known may be the same.
        for made in [
            meetings(&[one, second, None], Some(&[3]), &none),
            meetings(&[None, second, Some(&[2])], Some(&[3]), &none),
            meetings(&[one, second, Some(&[2])], None, &none),
            meetings(&[one, second, Some(&[2])], Some(&[2]), &none),
            meetings(&[one, second, Some(&[2])], Some(&[1]), &none),
            meetings(&[one, second, Some(&[1, 7])], Some(&[3]), &none),
        ] {
            assert_eq!(made.after, [at(false, 1), at(false, 2), at(true, 0)]);
        }
        // A second launch may not write what the test reads: other blocks may not have read it yet.
        assert_eq!(meetings(&[one, Some(&[3])], Some(&[3]), &none[1..]).after, [at(false, 1), at(true, 0)]);
        assert_eq!(meetings(&[one, Some(&[2])], Some(&[3]), &none[1..]).after, [None, at(true, 0)]);
        // Three of which neighbours differ, and the outer ones do not.
        assert_eq!(meetings(&[one, Some(&[2]), one], Some(&[]), &none).after, [None, at(false, 2), at(true, 0)]);
        assert_eq!(meetings(&[one, Some(&[2]), both], Some(&[]), &none).after, [None, at(false, 2), at(true, 0)]);
        // One meeting in each iteration at least.
        assert_eq!(meetings(&[one], Some(&[]), &none[2..]).after, [at(true, 0)]);
        assert_eq!(meetings(&[Some(&[]), Some(&[])], Some(&[]), &none[1..]).after, [None, at(true, 0)]);
    }

    #[test]
    fn reports_name_the_launch_that_can_fail() {
        let reaches: [Option<&[u32]>; 4] = [Some(&[1]), Some(&[2]), Some(&[1, 2]), Some(&[3])];
        let after = |can_fail| meetings(&reaches, Some(&[]), can_fail);
        assert_eq!(after(&[false; 4]), Meetings { after: vec![None, at(false, 2), None, at(true, 0)], first: 0 });
        let made = after(&[false, true, false, true]);
        assert_eq!(made, Meetings { after: vec![None, at(false, 3), None, at(true, 1)], first: 1 });
        // Two that can fail are not in one group.
        let made = after(&[true, true, true, true]);
        assert_eq!(made.after, [at(false, 1), at(false, 2), at(false, 3), at(true, 0)]);
        let made = meetings(&[Some(&[1]), Some(&[1]), Some(&[2])], Some(&[]), &[false, false, true]);
        assert_eq!(made, Meetings { after: vec![at(false, 2), None, at(true, 0)], first: 0 });
    }
}
