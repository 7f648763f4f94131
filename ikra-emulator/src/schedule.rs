//! The source of the order of blocks, warps and lanes.

/// Numbers drawn from a seed (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub(crate) const fn below(&mut self, n: u64) -> u64 {
        ((self.next() as u128 * n as u128) >> 64) as u64
    }

    /// True once in `n` times.
    pub(crate) const fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// All lanes, in some order.
    pub(crate) fn lanes(&mut self) -> [u8; 32] {
        let mut lanes = std::array::from_fn(|n| n as u8);
        for n in (1..32).rev() {
            lanes.swap(n, self.below(n as u64 + 1) as usize);
        }
        lanes
    }

    /// The number of instructions that a warp executes before the next one is drawn: often many, sometimes few.
    pub(crate) const fn slice(&mut self) -> u32 {
        match self.below(8) {
            0 => 1 + self.below(8) as u32,
            1 | 2 => 8 + self.below(64) as u32,
            _ => 128 + self.below(512) as u32,
        }
    }
}

/// The order of blocks: a permutation without a table.
#[derive(Clone, Debug)]
pub(crate) struct BlockOrder {
    count: u64,
    factor: u64,
    start: u64,
}

impl BlockOrder {
    pub(crate) fn new(count: u64, random: &mut Random) -> Self {
        let gcd = |mut a: u64, mut b: u64| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let mut factor = 1 + random.below(count.max(2) - 1);
        while gcd(factor, count) != 1 {
            factor = 1 + random.below(count.max(2) - 1);
        }
        Self { count, factor, start: random.below(count) }
    }

    /// The `n`-th block.
    pub(crate) const fn block(&self, n: u64) -> u64 {
        ((n as u128 * self.factor as u128 + self.start as u128) % self.count as u128) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_comes_once() {
        for count in [1, 2, 3, 12, 97, 1000] {
            for seed in 0..5 {
                let order = BlockOrder::new(count, &mut Random::new(seed));
                let mut blocks = (0..count).map(|n| order.block(n)).collect::<Vec<_>>();
                blocks.sort_unstable();
                assert_eq!(blocks, (0..count).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn seeds_give_other_orders() {
        assert_ne!(Random::new(1).lanes(), Random::new(2).lanes());
        assert_eq!(Random::new(1).lanes(), Random::new(1).lanes());
        let mut lanes = Random::new(3).lanes();
        lanes.sort_unstable();
        assert_eq!(lanes, std::array::from_fn(|n| n as u8));
    }
}
