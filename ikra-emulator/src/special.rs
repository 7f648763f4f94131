//! Registers that the device sets and that do not change: rows by number.

use ikra_ptx::{Axis, Special};

use crate::{block::Shared, grid::Context, registers::Row};

/// The number of rows.
pub(crate) const COUNT: usize = 28;

const fn axis(axis: Axis) -> u32 {
    match axis {
        Axis::X => 0,
        Axis::Y => 1,
        Axis::Z => 2,
    }
}

/// The row of a register; none if it changes.
pub(crate) const fn row(special: Special) -> Option<u32> {
    Some(match special {
        Special::Tid(a) => axis(a),
        Special::Ntid(a) => 3 + axis(a),
        Special::Ctaid(a) | Special::Clusterid(a) => 6 + axis(a),
        Special::Nctaid(a) | Special::Nclusterid(a) => 9 + axis(a),
        Special::ClusterCtaid(_) => 12,
        Special::ClusterNctaid(_) => 13,
        Special::LaneId => 14,
        Special::WarpId => 15,
        Special::NwarpId => 16,
        Special::SmId => 17,
        Special::NsmId => 18,
        Special::GridId => 19,
        Special::LanemaskEq => 20,
        Special::LanemaskLe => 21,
        Special::LanemaskLt => 22,
        Special::LanemaskGe => 23,
        Special::LanemaskGt => 24,
        Special::DynamicSmemSize => 25,
        Special::TotalSmemSize => 26,
        Special::WarpSize => 27,
        Special::Clock
        | Special::ClockHi
        | Special::Clock64
        | Special::Globaltimer
        | Special::GlobaltimerLo
        | Special::GlobaltimerHi => return None,
    })
}

/// Writes the rows of a warp.
pub(crate) fn fill(rows: &mut [Row], context: &Context<'_>, shared: &Shared, warp: u32) {
    let [x, y, _] = context.launch.block;
    for lane in 0..32 {
        let thread = warp * 32 + lane as u32;
        rows[0][lane] = u64::from(thread % x);
        rows[1][lane] = u64::from(thread / x % y);
        rows[2][lane] = u64::from(thread / x / y);
        rows[14][lane] = lane as u64;
        let bit = 1u32 << lane;
        rows[20][lane] = u64::from(bit);
        rows[21][lane] = u64::from(bit | (bit - 1));
        rows[22][lane] = u64::from(bit - 1);
        rows[23][lane] = u64::from(!(bit - 1));
        rows[24][lane] = u64::from(!(bit | (bit - 1)));
    }
    for axis in 0..3 {
        rows[3 + axis] = [context.launch.block[axis].into(); 32];
        rows[6 + axis] = [shared.id[axis].into(); 32];
        rows[9 + axis] = [context.launch.grid[axis].into(); 32];
    }
    rows[12] = [0; 32];
    rows[13] = [1; 32];
    rows[15] = [warp.into(); 32];
    rows[16] = [context.threads.div_ceil(32).into(); 32];
    rows[17] = [shared.multiprocessor.into(); 32];
    rows[18] = [context.device.options.multiprocessors.into(); 32];
    rows[19] = [context.grid_number; 32];
    rows[25] = [context.launch.shared_bytes.into(); 32];
    rows[26] = [context.shared_bytes.into(); 32];
    rows[27] = [32; 32];
}
