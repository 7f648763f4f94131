//! Games of life, without agents: a state per cell.

/// How many of the cells around one are in a state.
fn around(states: &[u8], [width, height]: [u32; 2], cell: u32, state: u8) -> u32 {
    let (x, y) = (cell % width, cell / width);
    let mut count = 0;
    for y in y.saturating_sub(1)..height.min(y + 2) {
        for x in x.saturating_sub(1)..width.min(x + 2) {
            let other = y * width + x;
            count += u32::from(other != cell && states[other as usize] == state);
        }
    }
    count
}

/// Steps: the next state of a cell follows from its state and the number of living cells around.
fn steps(size: [u32; 3], living: &[bool], next: impl Fn(u8, u32) -> u8) -> Vec<u8> {
    let [width, height, steps] = size;
    let mut states: Vec<u8> = living.iter().map(|&lives| u8::from(lives)).collect();
    let mut new = states.clone();
    for _ in 0..steps {
        for cell in 0..width * height {
            let near = around(&states, [width, height], cell, 1);
            new[cell as usize] = next(states[cell as usize], near);
        }
        std::mem::swap(&mut states, &mut new);
    }
    states
}

/// The game of life: 1 for each living cell.
pub fn gol(size: [u32; 3], living: &[bool]) -> Vec<u8> {
    steps(size, living, |state, near| u8::from(near == 3 || state == 1 && near == 2))
}

/// The rule 345/2/4: 1 for each living cell, 2 and 3 for those that die.
pub fn r#gen(size: [u32; 3], living: &[bool]) -> Vec<u8> {
    steps(size, living, |state, near| match state {
        0 => u8::from(near == 2),
        1 if (3..=5).contains(&near) => 1,
        3 => 0,
        _ => state + 1,
    })
}
