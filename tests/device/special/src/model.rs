//! The model.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ikra::prelude::*;

/// What kernels have noted, on the host or on a device.
pub static NOTED: AtomicU32 = AtomicU32::new(0);

/// A pattern of bits, an element of a list.
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// The bits.
    pub value: u32,
    /// Those that count.
    pub mask: u32,
    /// What a match weighs.
    pub weight: f32,
    /// The next one.
    pub next: Option<Link<Pattern>>,
}

/// Factors in an inner array.
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// The first two have columns of their own.
    #[inline_array(2)]
    pub taps: InnerArray<f64>,
    /// The pattern to begin at.
    pub first: Option<Link<Pattern>>,
}

/// An object that is compared with patterns.
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// Its bits.
    pub seen: u32,
    /// How many patterns match.
    pub found: u32,
    /// What they weigh.
    pub weight: f32,
    /// A filtered number.
    pub level: f64,
}

#[soa_methods]
impl Pattern {
    /// Changes a pattern.
    #[kernel]
    pub fn turn(&mut self, by: u32) {
        self.value = self.value.wrapping_add(by) & self.mask;
    }
}

#[soa_methods]
impl Spot {
    /// Compares it with all patterns from `first` on.
    #[kernel]
    pub fn scan(&mut self, first: Option<Link<Pattern>>, scale: f32) {
        let mut next = first.map(|first| self.resolve(first));
        while let Some(pattern) = next {
            if self.seen & pattern.mask() == pattern.value() {
                self.found += 1;
                self.weight += scale * pattern.weight();
            }
            next = pattern.next();
        }
    }

    /// The number of patterns that match.
    #[kernel(reduce(Sum))]
    pub fn matches(&self, first: Option<Link<Pattern>>) -> u32 {
        let (mut count, mut next) = (0, first.map(|first| self.resolve(first)));
        while let Some(pattern) = next {
            count += u32::from(self.seen & pattern.mask() == pattern.value());
            next = pattern.next();
        }
        count
    }

    /// Applies a filter, and looks for its first pattern.
    #[kernel]
    pub fn filter(&mut self, filter: Ref<Filter>) {
        let x = f64::from(self.seen % 1000) * 0.25;
        let mut sum = 0.0;
        for tap in &filter.taps() {
            sum = sum * x + tap;
        }
        if let Some(first) = filter.first() {
            sum += f64::from(first.weight());
        }
        self.level = sum;
    }

    /// Compares it with all patterns there are.
    #[kernel]
    pub fn scan_all(&mut self) {
        for pattern in self.all::<Pattern>() {
            if self.seen & pattern.mask() == pattern.value() {
                self.found += 1;
                self.weight -= pattern.weight();
            }
        }
    }

    /// Counts matches in a variable of the program.
    #[kernel]
    pub fn note(&mut self) {
        for pattern in self.all::<Pattern>() {
            if self.seen & pattern.mask() == pattern.value() {
                NOTED.fetch_add(1, Relaxed);
            }
        }
    }

    /// Reads that variable.
    #[kernel]
    pub fn recall(&mut self) {
        self.found = NOTED.load(Relaxed);
    }

    /// Reads no other object.
    #[kernel]
    pub fn mix(&mut self) {
        self.seen = self.seen.wrapping_mul(0x9e37_79b9).rotate_left(7);
    }
}
