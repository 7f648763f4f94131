//! After which launches all blocks wait for each other.
//!
//! Launches between two meetings form a *group*. They read and write different memories, so it does not show in which order
//! their blocks run. The test at the start of an iteration belongs to a group as a launch does.

use super::Iteration;
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

/// A part of a group.
struct Member {
    report: Report,
    can_fail: bool,
}

impl Meetings {
    /// The fewest meetings. `can_fail` says it for each launch.
    pub(super) fn of(iteration: &Iteration<'_>, can_fail: &[bool]) -> Self {
        let (launches, count) = (iteration.launches, iteration.launches.len());
        let mut waits = vec![true; count];
        // Where lists are emptied relies on a meeting after each launch.
        if !iteration.has_list {
            let mut group = 0..1;
            for next in 1..count {
                let earlier = group.clone().map(|launch| launches[launch].reach);
                let test = (group.start == 0).then_some(iteration.test);
                let may_join =
                    is_apart(launches[next].reach, earlier.chain(test)) && !both_fail(&group, next, can_fail);
                waits[next - 1] = !may_join;
                group = if may_join { group.start } else { next }..next + 1;
            }
            // The last group goes on in the next iteration, if there is another meeting in between.
            let inner = waits[..count - 1].iter().position(|&waits| waits);
            if let Some(first) = inner {
                let (head, tail) = (0..first + 1, group);
                let mut others = tail.clone().map(|launch| launches[launch].reach);
                let test = std::iter::once(iteration.test);
                let is_free = others.all(|reach| {
                    is_apart(reach, head.clone().map(|launch| launches[launch].reach).chain(test.clone()))
                }) && head.clone().all(|launch| is_apart(launches[launch].reach, test.clone()));
                let fail = head.chain(tail).filter(|&launch| can_fail[launch]).count();
                waits[count - 1] = !(is_free && fail <= 1);
            }
        }
        // The group after a launch, whose iteration it is or the next one.
        let report = |launch: usize| {
            let mut group = Vec::new();
            for number in launch + 1..=launch + count {
                let (ended, launch) = (number >= count, number % count);
                group.push(Member { report: Report { ended, launch }, can_fail: can_fail[launch] });
                if waits[launch] {
                    break;
                }
            }
            let failing = group.iter().find(|member| member.can_fail).or(group.first());
            failing.map_or(Report { ended: true, launch: 0 }, |member| member.report)
        };
        let first = report(count - 1).launch;
        let after = (0..count).map(|launch| waits[launch].then(|| report(launch))).collect();
        Self { after, first }
    }
}

/// Whether memories are known, and none of them is among these.
fn is_apart<'r>(reach: Option<&[u32]>, mut others: impl Iterator<Item = Option<&'r [u32]>>) -> bool {
    let Some(own) = reach else { return false };
    others.all(|other| other.is_some_and(|other| own.iter().all(|memory| !other.contains(memory))))
}

/// Whether it can fail, and one of a group can, too: a report names one.
fn both_fail(group: &std::ops::Range<usize>, next: usize, can_fail: &[bool]) -> bool {
    can_fail[next] && group.clone().any(|launch| can_fail[launch])
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
