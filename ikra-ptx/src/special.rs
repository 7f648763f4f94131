//! Registers that the device sets.

use std::fmt;

/// One of three directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Axis {
    /// The fastest.
    X,
    /// The second.
    Y,
    /// The slowest.
    Z,
}

macro_rules! special {
    (axes: $($axes:ident = $axes_text:literal),*; plain: $($name:ident = $text:literal),* $(,)?) => {
        /// A register that the device sets.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Special {
            $(#[doc = concat!("`%", $axes_text, "`")] $axes(Axis),)*
            $(#[doc = concat!("`%", $text, "`")] $name,)*
        }

        impl Special {
            /// The register with this name and component, both without the sign before it.
            #[must_use]
            pub fn from_name(name: &str, component: Option<&str>) -> Option<Self> {
                let axis = match component {
                    None => None,
                    Some("x") => Some(Axis::X),
                    Some("y") => Some(Axis::Y),
                    Some("z") => Some(Axis::Z),
                    Some(_) => return None,
                };
                match (name, axis) {
                    $(($axes_text, Some(axis)) => Some(Self::$axes(axis)),)*
                    $(($text, None) => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// Its name, without the sign and the component.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$axes(_) => $axes_text,)*
                    $(Self::$name => $text,)*
                }
            }

            /// Its component, if it has several.
            #[must_use]
            pub fn axis(self) -> Option<Axis> {
                match self {
                    $(Self::$axes(axis) => Some(axis),)*
                    _ => None,
                }
            }
        }
    };
}

special! {
    axes: Tid = "tid", Ntid = "ntid", Ctaid = "ctaid", Nctaid = "nctaid", Clusterid = "clusterid",
        Nclusterid = "nclusterid", ClusterCtaid = "cluster_ctaid", ClusterNctaid = "cluster_nctaid";
    plain: LaneId = "laneid", WarpId = "warpid", NwarpId = "nwarpid", SmId = "smid", NsmId = "nsmid", GridId = "gridid",
        LanemaskEq = "lanemask_eq", LanemaskLe = "lanemask_le", LanemaskLt = "lanemask_lt", LanemaskGe = "lanemask_ge",
        LanemaskGt = "lanemask_gt", Clock = "clock", ClockHi = "clock_hi", Clock64 = "clock64",
        Globaltimer = "globaltimer", GlobaltimerLo = "globaltimer_lo", GlobaltimerHi = "globaltimer_hi",
        DynamicSmemSize = "dynamic_smem_size", TotalSmemSize = "total_smem_size", WarpSize = "WARP_SZ",
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if *self == Self::WarpSize { "" } else { "%" };
        let axis = match self.axis() {
            None => "",
            Some(Axis::X) => ".x",
            Some(Axis::Y) => ".y",
            Some(Axis::Z) => ".z",
        };
        write!(f, "{sign}{}{axis}", self.name())
    }
}
