//! Exchanges between the lanes of a warp: shuffles, votes, matches, reductions, synchronisation.
//!
//! The lanes that a mask names meet, wherever they are in the program, as on hardware since Volta.

use super::{Core, Next, Outcome, Trouble};
use crate::{
    block::Shared,
    code::{Action, Exchange, Redux, Shuffle, Vote},
    fault::FaultKind,
    registers::{Row, Source, lanes},
    warp::Warp,
};

impl Core<'_> {
    /// Lanes come to an exchange.
    pub(super) fn exchange(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        with: Source,
        exchange: &Exchange,
        number: u32,
        mask: u32,
        active: u32,
    ) -> Outcome<Next> {
        let members = *warp.registers.get(with);
        let first = members[active.trailing_zeros() as usize] as u32;
        // Mostly, all lanes that the mask names come together.
        if active == mask && first & warp.live == active && lanes(active).all(|lane| members[lane] as u32 == first) {
            self.perform(shared, warp, &[(active, number, warp.registers.base as u32)], active, exchange);
            return Ok(Next::Follows);
        }
        warp.place(mask & !active, number + 1);
        warp.place(active, number);
        for lane in lanes(active) {
            let named = members[lane] as u32;
            if named >> lane & 1 == 0 {
                let detail = format!("the mask {named:#010x} does not name lane {lane}, which executes it");
                return Err(Trouble::new(lane, FaultKind::IllegalInstruction, detail));
            }
            warp.members[lane] = named;
        }
        warp.running &= !active;
        warp.at_exchange |= active;
        self.settle_exchanges(shared, warp)?;
        Ok(Next::Apart)
    }

    /// Releases lanes whose exchange is complete; returns whether there were any.
    pub(super) fn settle_exchanges(&mut self, shared: &mut Shared, warp: &mut Warp) -> Outcome<bool> {
        let steps = &self.context.code.steps;
        let mut any = false;
        let mut rest = warp.at_exchange;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let Action::Exchange { exchange, .. } = &steps[warp.step[lane] as usize].action else {
                rest &= !(1 << lane);
                continue;
            };
            let same = lanes(warp.at_exchange)
                .filter(|&other| warp.members[other] == warp.members[lane])
                .filter(|&other| match &steps[warp.step[other] as usize].action {
                    Action::Exchange { exchange: theirs, .. } => {
                        std::mem::discriminant(&**theirs) == std::mem::discriminant(&**exchange)
                    }
                    _ => false,
                })
                .fold(0, |same, other| same | 1 << other);
            rest &= !same;
            if warp.members[lane] & warp.live & !same != 0 {
                continue;
            }
            any = true;
            let mut groups = Vec::new();
            let mut left = same;
            while left != 0 {
                let one = left.trailing_zeros() as usize;
                let beside = warp.beside(one, left);
                left &= !beside;
                groups.push((beside, warp.step[one], warp.base[one]));
            }
            warp.at_exchange &= !same;
            warp.running |= same;
            self.perform(shared, warp, &groups, same, exchange);
            for &(mask, step, _) in &groups {
                warp.place(mask, step + 1);
            }
        }
        Ok(any)
    }

    /// Exchanges between the lanes of groups: for each group its lanes, step and frame.
    fn perform(&self, shared: &mut Shared, warp: &mut Warp, groups: &[(u32, u32, u32)], all: u32, exchange: &Exchange) {
        if *exchange == Exchange::Synchronise {
            warp.sync = shared.clock.tick();
            return;
        }
        let steps = &self.context.code.steps;
        let own = |step: u32| match &steps[step as usize].action {
            Action::Exchange { exchange, .. } => **exchange,
            _ => Exchange::Synchronise,
        };
        // The value that each lane gives.
        let (mut values, mut holds): (Row, u32) = ([0; 32], 0);
        for &(mask, step, base) in groups {
            warp.registers.base = base as usize;
            match own(step) {
                Exchange::Shuffle { value, .. } | Exchange::Match { value, .. } | Exchange::Reduce { value, .. } => {
                    let row = warp.registers.get(value);
                    lanes(mask).for_each(|lane| values[lane] = row[lane]);
                }
                Exchange::Vote { condition, .. } | Exchange::Ballot { condition, .. } => {
                    holds |= condition.mask(&warp.registers) & mask;
                }
                Exchange::Synchronise | Exchange::Elect { .. } => {}
            }
        }
        // The value that each lane takes.
        for &(mask, step, base) in groups {
            warp.registers.base = base as usize;
            match own(step) {
                Exchange::Synchronise => {}
                Exchange::Shuffle { how, to, inside, lane, clamp, .. } => {
                    let (by, clamp) = (*warp.registers.get(lane), *warp.registers.get(clamp));
                    let (mut out, mut valid) = ([0; 32], 0);
                    for lane in lanes(mask) {
                        let (from, is_inside) = source_lane(how, lane as u32, by[lane] as u32, clamp[lane] as u32);
                        out[lane] = values[from as usize];
                        valid |= u32::from(is_inside) << lane;
                    }
                    if let Some(to) = to {
                        warp.registers.put(to, mask, &out);
                    }
                    if let Some(inside) = inside {
                        warp.registers.set_mask(inside, mask, valid);
                    }
                }
                Exchange::Vote { how, to, .. } => {
                    let result = match how {
                        Vote::All => holds == all,
                        Vote::Any => holds != 0,
                        Vote::Uniform => holds == all || holds == 0,
                    };
                    warp.registers.set_mask(to, mask, if result { u32::MAX } else { 0 });
                }
                Exchange::Ballot { to, .. } => warp.registers.put(to, mask, &[u64::from(holds); 32]),
                Exchange::Match { all: of_all, to, agrees, .. } => {
                    let (mut out, mut agree) = ([0; 32], 0);
                    for lane in lanes(mask) {
                        let same =
                            lanes(all).filter(|&n| values[n] == values[lane]).fold(0u32, |same, n| same | 1 << n);
                        out[lane] = u64::from(if of_all && same != all { 0 } else { same });
                        agree |= u32::from(same == all) << lane;
                    }
                    if let Some(to) = to {
                        warp.registers.put(to, mask, &out);
                    }
                    if let Some(agrees) = agrees {
                        warp.registers.set_mask(agrees, mask, agree);
                    }
                }
                Exchange::Reduce { how, to, .. } => {
                    let result = reduce(how, lanes(all).map(|lane| values[lane] as u32));
                    warp.registers.put(to, mask, &[u64::from(result); 32]);
                }
                Exchange::Elect { to, elected } => {
                    let leader = all.trailing_zeros();
                    if let Some(to) = to {
                        warp.registers.put(to, mask, &[u64::from(leader); 32]);
                    }
                    if let Some(elected) = elected {
                        warp.registers.set_mask(elected, mask, 1 << leader);
                    }
                }
            }
        }
    }
}

/// The lane from which a shuffle takes its value, and whether it is in range.
fn source_lane(how: Shuffle, lane: u32, by: u32, clamp: u32) -> (u32, bool) {
    let (by, clamp, segment) = (by & 31, clamp & 31, clamp >> 8 & 31);
    let max = lane & segment | clamp & !segment;
    let min = lane & segment;
    let (from, inside) = match how {
        Shuffle::Up => (lane.wrapping_sub(by), lane as i32 - by as i32 >= max as i32),
        Shuffle::Down => (lane + by, lane + by <= max),
        Shuffle::Butterfly => (lane ^ by, lane ^ by <= max),
        Shuffle::Index => {
            let from = min | by & !segment;
            (from, from <= max)
        }
    };
    if inside { (from & 31, true) } else { (lane, false) }
}

fn reduce(how: Redux, values: impl Iterator<Item = u32>) -> u32 {
    let result = match how {
        Redux::Add => values.reduce(u32::wrapping_add),
        Redux::And => values.reduce(|a, b| a & b),
        Redux::Or => values.reduce(|a, b| a | b),
        Redux::Xor => values.reduce(|a, b| a ^ b),
        Redux::Min { signed: false } => values.min(),
        Redux::Max { signed: false } => values.max(),
        Redux::Min { signed: true } => values.map(|a| a as i32).min().map(|a| a as u32),
        Redux::Max { signed: true } => values.map(|a| a as i32).max().map(|a| a as u32),
    };
    result.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_stay_in_their_segment() {
        assert_eq!(source_lane(Shuffle::Down, 5, 3, 31), (8, true));
        assert_eq!(source_lane(Shuffle::Down, 30, 3, 31), (30, false));
        assert_eq!(source_lane(Shuffle::Up, 5, 3, 0), (2, true));
        assert_eq!(source_lane(Shuffle::Up, 2, 3, 0), (2, false));
        assert_eq!(source_lane(Shuffle::Butterfly, 5, 16, 31), (21, true));
        assert_eq!(source_lane(Shuffle::Index, 9, 2, 31), (2, true));
        // Segments of eight lanes.
        assert_eq!(source_lane(Shuffle::Index, 9, 2, 0x1807 | 7), (10, true));
        assert_eq!(source_lane(Shuffle::Down, 14, 3, 0x1807 | 7), (14, false));
        assert_eq!(source_lane(Shuffle::Up, 9, 2, 0x1800), (9, false));
    }

    #[test]
    fn reductions() {
        let values = || [3u32, 0xffff_fffe, 7].into_iter();
        assert_eq!(reduce(Redux::Add, values()), 8);
        assert_eq!(reduce(Redux::Min { signed: true }, values()), 0xffff_fffe);
        assert_eq!(reduce(Redux::Min { signed: false }, values()), 3);
        assert_eq!(reduce(Redux::Max { signed: true }, values()), 7);
    }
}
