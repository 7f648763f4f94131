//! The same classes behind one trait per strategy, and objects that read others through links of every strategy.

use ikra::prelude::*;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Lorry {
    pub km: u32,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Walker {
    pub steps: u32,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Tram {
    pub stops: u32,
}

macro_rules! strategy {
    ($Trait:ident, $move_on:ident, $look:ident, $name:literal) => {
        #[soa_dispatch(Lorry, Walker, Tram, strategy = $name)]
        pub trait $Trait {
            #[kernel]
            fn $move_on(&mut self, by: u32);
            fn $look(&self, by: u32) -> u32;
        }
        #[soa_methods]
        impl $Trait for Lorry {
            fn $move_on(&mut self, by: u32) {
                self.km = self.km.wrapping_add(by);
            }
            fn $look(&self, by: u32) -> u32 {
                self.km ^ by
            }
        }
        #[soa_methods]
        impl $Trait for Walker {
            fn $move_on(&mut self, by: u32) {
                self.steps = self.steps.wrapping_mul(3).wrapping_add(by);
            }
            fn $look(&self, by: u32) -> u32 {
                self.steps.wrapping_sub(by)
            }
        }
        #[soa_methods]
        impl $Trait for Tram {
            fn $move_on(&mut self, by: u32) {
                self.stops ^= by;
            }
            fn $look(&self, by: u32) -> u32 {
                self.stops.rotate_left(by % 32)
            }
        }
    };
}

strategy!(ByBits, move_by_bits, look_by_bits, "type_pointer");
strategy!(InRanges, move_in_ranges, look_in_ranges, "range_table");
strategy!(ByTag, move_by_tag, look_by_tag, "class_tag");
strategy!(ByTable, move_by_table, look_by_table, "vtable");

/// The target of links of each strategy to the same objects.
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Watcher {
    pub bits: ByBitsLink,
    pub range: InRangesLink,
    pub tag: ByTagLink,
    pub table: ByTableLink,
    pub other_bits: Option<ByBitsLink>,
    pub other_range: Option<InRangesLink>,
    pub other_tag: Option<ByTagLink>,
    pub other_table: Option<ByTableLink>,
    #[inline_array(1)]
    pub all_bits: InnerArray<ByBitsLink>,
    #[inline_array(1)]
    pub all_ranges: InnerArray<InRangesLink>,
    #[inline_array(1)]
    pub all_tags: InnerArray<ByTagLink>,
    #[inline_array(1)]
    pub all_tables: InnerArray<ByTableLink>,
    pub seen: [u32; 4],
}

#[soa_methods]
impl Watcher {
    #[kernel]
    pub fn watch(&mut self, by: u32) {
        let mut seen = [
            self.bits.look_by_bits(by),
            self.range.look_in_ranges(by),
            self.tag.look_by_tag(by),
            self.table.look_by_table(by),
        ];
        if let Some(other) = self.other_bits {
            seen[0] = seen[0].wrapping_add(other.look_by_bits(by + 1));
        }
        if let Some(other) = self.other_range {
            seen[1] = seen[1].wrapping_add(other.look_in_ranges(by + 1));
        }
        if let Some(other) = self.other_tag {
            seen[2] = seen[2].wrapping_add(other.look_by_tag(by + 1));
        }
        if let Some(other) = self.other_table {
            seen[3] = seen[3].wrapping_add(other.look_by_table(by + 1));
        }
        for other in &self.all_bits {
            seen[0] = seen[0].wrapping_mul(31).wrapping_add(other.look_by_bits(by + 2));
        }
        for other in &self.all_ranges {
            seen[1] = seen[1].wrapping_mul(31).wrapping_add(other.look_in_ranges(by + 2));
        }
        for other in &self.all_tags {
            seen[2] = seen[2].wrapping_mul(31).wrapping_add(other.look_by_tag(by + 2));
        }
        for other in &self.all_tables {
            seen[3] = seen[3].wrapping_mul(31).wrapping_add(other.look_by_table(by + 2));
        }
        self.seen = seen;
    }

    /// All objects read the same object, so its class is uniform in a warp.
    #[kernel]
    pub fn watch_one(&mut self, bits: Ref<ByBits>, range: Ref<InRanges>, tag: Ref<ByTag>, table: Ref<ByTable>) {
        let of = [bits.look_by_bits(5), range.look_in_ranges(5), tag.look_by_tag(5), table.look_by_table(5)];
        for n in 0..4 {
            self.seen[n] ^= of[n];
        }
    }
}

#[soa_world]
pub struct Depot {
    pub lorries: Objects<Lorry>,
    pub walkers: Objects<Walker>,
    pub trams: Objects<Tram>,
    pub watchers: Objects<Watcher>,
}
