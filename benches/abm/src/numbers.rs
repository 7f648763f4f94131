//! Random numbers for sequential programs.

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 32) as u32
    }
    pub fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.next()) * u64::from(end)) >> 32) as u32
    }
    pub fn uniform(&mut self) -> f64 {
        f64::from(self.next()) / 4_294_967_296.0
    }
    pub fn chance(&mut self, probability: f32) -> bool {
        self.uniform() < f64::from(probability)
    }
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for n in (1..all.len()).rev() {
            all.swap(n, self.below(n as u32 + 1) as usize);
        }
    }
}

/// One of the eight cells around, on a field without joined sides.
pub fn beside(at: [u32; 2], size: [u32; 2], numbers: &mut Numbers) -> [u32; 2] {
    let way = numbers.below(8);
    let way = way + u32::from(way >= 4);
    let step = |at: u32, by: u32, end: u32| (at + by).clamp(1, end) - 1;
    [step(at[0], way % 3, size[0]), step(at[1], way / 3, size[1])]
}
