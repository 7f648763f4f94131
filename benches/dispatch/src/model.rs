//! Objects of 1 to 32 classes behind a trait, as in `benches/cuda/dispatch.cu`: object i is of class i mod the number of
//! classes, and has one number, i at first.

/// Rounds of arithmetic in a heavy method.
const ROUNDS: u32 = 64;

/// The light method of class `C`.
pub fn light<const C: u32>(value: u32) -> u32 {
    value.wrapping_add(C * C + 1)
}

/// The heavy one.
pub fn heavy<const C: u32>(mut value: u32) -> u32 {
    for _ in 0..ROUNDS {
        value = value.wrapping_mul(2 * C * C + 5).wrapping_add(C + 3);
        value ^= value >> (C % 16 + 1);
    }
    value
}

/// A trait over some classes, and objects that call it through a link each; and the same by other strategies.
macro_rules! things {
    ($module:ident, $classes:literal, $($class:ident $member:ident $c:literal),*) => {
        /// So many classes.
        #[allow(missing_docs, reason = "the same text many times")]
        pub mod $module {
            use super::{heavy, light};
            use ikra::prelude::*;

            #[soa_dispatch($($class),*)]
            pub trait Thing {
                #[kernel]
                fn tick(&mut self);
                #[kernel]
                fn work(&mut self);
                fn ticked(&self) -> u32;
                fn worked(&self) -> u32;
            }

            #[soa_dispatch($($class),*, strategy = "range_table")]
            pub trait InRegions {
                fn ticked_in_regions(&self) -> u32;
            }
            #[soa_dispatch($($class),*, strategy = "class_tag")]
            pub trait Tagged {
                fn ticked_by_tag(&self) -> u32;
            }
            #[soa_dispatch($($class),*, strategy = "vtable")]
            pub trait Virtual {
                fn ticked_by_table(&self) -> u32;
            }

            $(
                #[soa_class]
                #[derive(Clone, Debug)]
                pub struct $class {
                    pub value: u32,
                }
                #[soa_methods]
                impl Thing for $class {
                    fn tick(&mut self) {
                        self.value = light::<$c>(self.value);
                    }
                    fn work(&mut self) {
                        self.value = heavy::<$c>(self.value);
                    }
                    fn ticked(&self) -> u32 {
                        light::<$c>(self.value)
                    }
                    fn worked(&self) -> u32 {
                        heavy::<$c>(self.value)
                    }
                }
                #[soa_methods]
                impl InRegions for $class {
                    fn ticked_in_regions(&self) -> u32 {
                        light::<$c>(self.value)
                    }
                }
                #[soa_methods]
                impl Tagged for $class {
                    fn ticked_by_tag(&self) -> u32 {
                        light::<$c>(self.value)
                    }
                }
                #[soa_methods]
                impl Virtual for $class {
                    fn ticked_by_table(&self) -> u32 {
                        light::<$c>(self.value)
                    }
                }
                #[soa_methods]
                impl $class {
                    #[kernel]
                    pub fn spawn(id: u32) -> Self {
                        Self { value: id * $classes + $c }
                    }
                }
            )*

            #[soa_class]
            #[derive(Clone, Debug)]
            pub struct Caller {
                pub target: ThingLink,
                pub in_regions: InRegionsLink,
                pub tagged: TaggedLink,
                pub with_table: VirtualLink,
                pub result: u32,
            }
            #[soa_methods]
            impl Caller {
                #[kernel]
                pub fn call_light(&mut self) {
                    self.result = self.target.ticked();
                }
                #[kernel]
                pub fn call_heavy(&mut self) {
                    self.result = self.target.worked();
                }
                #[kernel]
                pub fn call_in_regions(&mut self) {
                    self.result = self.in_regions.ticked_in_regions();
                }
                #[kernel]
                pub fn call_by_tag(&mut self) {
                    self.result = self.tagged.ticked_by_tag();
                }
                #[kernel]
                pub fn call_by_table(&mut self) {
                    self.result = self.with_table.ticked_by_table();
                }
            }

            #[soa_world]
            pub struct Things {
                $(pub $member: Objects<$class>,)*
                pub callers: Objects<Caller>,
            }

            impl Things {
                /// Makes `n` objects on the device.
                #[cfg(not(target_arch = "nvptx64"))]
                pub fn make(n: usize) -> Result<Self, ikra::Error> {
                    let mut things = Self::new();
                    things.add(n)?;
                    Ok(things)
                }

                /// Adds `n` objects that are made on the device.
                #[cfg(not(target_arch = "nvptx64"))]
                pub fn add(&mut self, n: usize) -> Result<(), ikra::Error> {
                    $(self.on(ikra::Place::Gpu(0)).construct((n + $classes - 1 - $c) / $classes, $class::spawn, ())?;)*
                    Ok(())
                }

                /// Ticks class by class.
                #[cfg(not(target_arch = "nvptx64"))]
                pub fn tick(&mut self) -> Result<(), ikra::Error> {
                    $(self.cuda_execute($class::tick, ())?;)*
                    Ok(())
                }

                /// Works class by class.
                #[cfg(not(target_arch = "nvptx64"))]
                pub fn work(&mut self) -> Result<(), ikra::Error> {
                    $(self.cuda_execute($class::work, ())?;)*
                    Ok(())
                }

                /// Who calls the object of a link.
                #[cfg(not(target_arch = "nvptx64"))]
                pub fn caller(target: ThingLink) -> Caller {
                    let (in_regions, tagged, with_table) = match target.class() {
                        $(ThingIs::$class(link) => (link.into(), link.into(), link.into()),)*
                    };
                    Caller { target, in_regions, tagged, with_table, result: 0 }
                }

                /// The links of all objects, in order.
                #[cfg(not(target_arch = "nvptx64"))]
                pub fn links(&self) -> Vec<ThingLink> {
                    let mut of = [$(Box::new(self.$member.links().map(ThingLink::from)) as Box<dyn Iterator<Item = _>>),*];
                    let mut links = Vec::new();
                    'all: loop {
                        for links_of_class in &mut of {
                            let Some(link) = links_of_class.next() else { break 'all };
                            links.push(link);
                        }
                    }
                    links
                }
            }
        }
    };
}

things!(of_1, 1, C0 c0 0);
things!(of_2, 2, C0 c0 0, C1 c1 1);
things!(of_4, 4, C0 c0 0, C1 c1 1, C2 c2 2, C3 c3 3);
things!(of_8, 8, C0 c0 0, C1 c1 1, C2 c2 2, C3 c3 3, C4 c4 4, C5 c5 5, C6 c6 6, C7 c7 7);
things!(
    of_16, 16, C0 c0 0, C1 c1 1, C2 c2 2, C3 c3 3, C4 c4 4, C5 c5 5, C6 c6 6, C7 c7 7, C8 c8 8, C9 c9 9, C10 c10 10,
    C11 c11 11, C12 c12 12, C13 c13 13, C14 c14 14, C15 c15 15
);
things!(
    of_32, 32, C0 c0 0, C1 c1 1, C2 c2 2, C3 c3 3, C4 c4 4, C5 c5 5, C6 c6 6, C7 c7 7, C8 c8 8, C9 c9 9, C10 c10 10,
    C11 c11 11, C12 c12 12, C13 c13 13, C14 c14 14, C15 c15 15, C16 c16 16, C17 c17 17, C18 c18 18, C19 c19 19, C20 c20 20,
    C21 c21 21, C22 c22 22, C23 c23 23, C24 c24 24, C25 c25 25, C26 c26 26, C27 c27 27, C28 c28 28, C29 c29 29, C30 c30 30,
    C31 c31 31
);
