//! The sheet of masses and springs.

use crate::inputs::Sheet;
use crate::model::structure::{DAMPING, DT, LOOSE};

/// What a sheet has become.
#[derive(Clone, Debug, PartialEq)]
pub struct Torn {
    /// Where nodes are.
    pub pos: Vec<[f32; 2]>,
    /// Which nodes are gone.
    pub is_gone: Vec<bool>,
    /// Which springs are gone.
    pub is_broken: Vec<bool>,
}

/// Pulls `rounds[0]` times, each time followed by `rounds[1]` steps, and by a search for what is loose.
pub fn tear(sheet: &Sheet, rounds: [u32; 2]) -> Torn {
    let (nodes, springs) = (sheet.pos.len(), sheet.ends.len());
    let (mut pos, mut vel) = (sheet.pos.clone(), vec![[0.0_f32; 2]; nodes]);
    let (mut is_broken, mut force) = (vec![false; springs], vec![[0.0_f32; 2]; springs]);
    let mut is_gone = vec![false; nodes];
    // The springs of each node, and whether it is their first end.
    let mut ends_of = vec![Vec::new(); nodes];
    for (spring, &[a, b]) in sheet.ends.iter().enumerate() {
        ends_of[a as usize].push((spring, 1.0_f32));
        ends_of[b as usize].push((spring, -1.0));
    }
    let moves: Vec<usize> = (0..nodes).filter(|&node| !sheet.is_held(node as u32)).collect();
    for _ in 0..rounds[0] {
        for node in (0..nodes).filter(|&node| sheet.is_pulled(node as u32)) {
            for k in 0..2 {
                pos[node][k] += Sheet::PULL[k];
            }
        }
        for _ in 0..rounds[1] {
            for (spring, &[a, b]) in sheet.ends.iter().enumerate() {
                if is_broken[spring] {
                    continue;
                }
                let (a, b) = (pos[a as usize], pos[b as usize]);
                let d = [b[0] - a[0], b[1] - a[1]];
                let length = (d[0] * d[0] + d[1] * d[1]).sqrt();
                let pull = sheet.stiffness[spring] * (length - sheet.length[spring]);
                is_broken[spring] = pull > sheet.strength[spring];
                let scale = if is_broken[spring] { 0.0 } else { pull / length };
                force[spring] = [d[0] * scale, d[1] * scale];
            }
            for &node in &moves {
                let mut sum = [0.0, 0.0];
                for &(spring, sign) in ends_of[node].iter().filter(|(spring, _)| !is_broken[*spring]) {
                    for k in 0..2 {
                        sum[k] += sign * force[spring][k];
                    }
                }
                if !is_gone[node] {
                    for k in 0..2 {
                        vel[node][k] = (vel[node][k] + sum[k] / sheet.mass[node] * DT) * DAMPING;
                        pos[node][k] += vel[node][k] * DT;
                    }
                }
            }
        }
        let mut distance: Vec<u32> =
            (0..nodes).map(|node| if sheet.is_held(node as u32) { 0 } else { LOOSE }).collect();
        let mut frontier: Vec<usize> = (0..nodes).filter(|&node| distance[node] == 0).collect();
        while let Some(node) = frontier.pop() {
            for &(spring, _) in ends_of[node].iter().filter(|(spring, _)| !is_broken[*spring]) {
                for end in sheet.ends[spring].map(|end| end as usize) {
                    if distance[end] == LOOSE {
                        distance[end] = 1;
                        frontier.push(end);
                    }
                }
            }
        }
        for node in (0..nodes).filter(|&node| distance[node] == LOOSE) {
            is_gone[node] = true;
            ends_of[node].iter().for_each(|&(spring, _)| is_broken[spring] = true);
        }
    }
    Torn { pos, is_gone, is_broken }
}
