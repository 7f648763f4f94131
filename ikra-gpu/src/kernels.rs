//! The kernels that all device code has, besides those of its model; `device/root.rs` lists them too.

use ikra_runtime::error::GpuError;

use crate::driver::{Function, Module};

macro_rules! kernels {
    ($($field:ident: $name:literal),* $(,)?) => {
        /// The kernels of one module.
        #[derive(Debug)]
        pub(crate) struct Kernels {
            $(pub(crate) $field: Function,)*
        }

        impl Kernels {
            /// # Errors
            ///
            /// [`GpuError::DeviceCodeRejected`] if another version of `ikra-build` made the code.
            pub(crate) fn of(module: &Module) -> Result<Self, GpuError> {
                let find = |name: &str| {
                    module.function(name)?.ok_or_else(|| GpuError::DeviceCodeRejected {
                        log: format!("it has no kernel `{name}`: it was made by another version of `ikra-build`"),
                    })
                };
                Ok(Self { $($field: find($name)?,)* })
            }
        }
    };
}
kernels! {
    copy: "ikra_copy",
    mark: "ikra_list_mark",
    choose: "ikra_list_choose",
    count: "ikra_list_count",
    place: "ikra_list_place",
    write: "ikra_list_write",
    mask: "ikra_list_mask",
    sum_births: "ikra_lives_sum",
    rank_births: "ikra_lives_rank",
    invert: "ikra_lives_invert",
    unlink: "ikra_lives_unlink",
    relink: "ikra_lives_relink",
    gather: "ikra_lives_gather",
    scan: "ikra_scan",
    convert: "ikra_sort_convert",
    draw: "ikra_sort_draw",
    count_narrow: "ikra_sort_count_4",
    count_wide: "ikra_sort_count_8",
    place_narrow: "ikra_sort_place_4",
    place_wide: "ikra_sort_place_8",
    find: "ikra_sort_find",
    cells_2: "ikra_group_cells_2",
    cells_3: "ikra_group_cells_3",
    check_keys: "ikra_group_check",
    starts: "ikra_group_starts",
}
