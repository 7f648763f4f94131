//! The items that a device program has once.

/// The items that the root of a device program needs: a panic handler, a kernel that copies small columns to the host,
/// and the kernels that sort links, choose, sort and group objects, and end kernels that make and remove some. The crate
/// that `ikra-build` generates around the model contains them once.
#[macro_export]
macro_rules! device_root {
    () => {
        #[panic_handler]
        fn panic(info: &::core::panic::PanicInfo<'_>) -> ! {
            $crate::device::panic(info)
        }

        // Called where kernels panic: `ikra-build` inserts the calls into the device code.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn ikra_failing(kernel: *const u8, index: u32) {
            // SAFETY: kernels pass the name of theirs, as the function requires.
            unsafe { $crate::device::failing(kernel, index) }
        }

        $crate::__root_kernels! {
            ikra_copy(from: *const u8, to: *mut u8, bytes: u32) = copy;

            ikra_list_mark(
                links: *const u8, count: u32, tag_bits: u32, classes: *const [u32; 2], class_count: u32,
                sets: *mut u32, wrong: *mut u32
            ) = lists::mark;
            ikra_list_choose(flags: *const u8, len: u32, sets: *mut u32, counts: *mut [u32; 3]) = lists::choose;
            ikra_list_count(
                sets: *mut u32, all: u32, cleared: *const u32, words: u32, counts: *mut [u32; 3]
            ) = lists::count;
            ikra_list_place(
                classes: *const [u32; 2], class_count: u32, counts: *mut [u32; 3], found: *mut [u32; 3]
            ) = lists::place;
            ikra_list_write(
                sets: *const u32, counts: *const [u32; 3], from: *const u32, first: u32, list: *mut u32,
                free: *mut u32, slots: u32, is_placed: u32
            ) = lists::write;
            ikra_list_mask(
                chosen: *const u32, first: u32, end: u32, all: *const u32, start: u32, last: u32, masked: *mut u32
            ) = lists::mask;

            ikra_lives_sum(
                counts: *const u8, makers: u32, sums: *mut u32, numbers: *mut u32, result: u32, done: *mut u32,
                marks: *const u32, to: *mut u32, count: u32
            ) = lives::sum;
            ikra_lives_rank(
                counts: *const u8, makers: u32, per_maker: u32, sums: *const u32, numbers: *mut u32, ranks: *mut u32
            ) = lives::rank;
            ikra_lives_invert(bits: *const u32, slots: u32, result: *mut u32) = lives::invert;
            ikra_lives_unlink(column: *mut u32, len: u32, removed: *const u32, slots: u32) = lives::unlink;
            ikra_lives_relink(column: *mut u32, len: u32, ids: *const u32, slots: u32, empties: u32) = lives::relink;
            ikra_lives_gather(
                columns: *const [u64; 3], count: u32, list: *const u32, len: u32, ids: *mut u32
            ) = lives::gather;

            ikra_scan(from: *const u32, to: *mut u32, len: u32, tiles: *mut u64) = scan::scan;

            ikra_sort_convert(from: *const u8, bytes: u32, flip: u64, len: u32, keys: *mut u8) = sort::convert;
            ikra_sort_draw(seed: u64, len: u32, keys: *mut u64) = sort::draw;
            ikra_sort_count_4(keys: *const u32, len: u32, shift: u32, counts: *mut u32) = sort::count;
            ikra_sort_count_8(keys: *const u64, len: u32, shift: u32, counts: *mut u32) = sort::count;
            ikra_sort_place_4(
                keys: *const u32, values: *const u32, len: u32, shift: u32, starts: *const u32,
                keys_to: *mut u32, values_to: *mut u32
            ) = sort::place;
            ikra_sort_place_8(
                keys: *const u64, values: *const u32, len: u32, shift: u32, starts: *const u32,
                keys_to: *mut u64, values_to: *mut u32
            ) = sort::place;
            ikra_sort_find(places: *mut u32, len: u32, list: *const u32, first: u32, moved: *mut u32) = sort::find;

            ikra_group_cells_2(
                positions: *const [f32; 2], len: u32, grid: $crate::device::runtime::grid::Grid<2>, keys: *mut u32
            ) = groups::cells;
            ikra_group_cells_3(
                positions: *const [f32; 3], len: u32, grid: $crate::device::runtime::grid::Grid<3>, keys: *mut u32
            ) = groups::cells;
            ikra_group_check(keys: *const u32, len: u32, groups: u32, first: *mut u32) = groups::check;
            ikra_group_starts(keys: *const u32, len: u32, groups: u32, starts: *mut u32) = groups::starts;
        }
    };
}

/// Kernels under names of their own, each with the function that is its body.
#[macro_export]
macro_rules! __root_kernels {
    ($($name:ident($($arg:ident: $ty:ty),*) = $($body:ident)::+;)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn $name($($arg: $ty),*) {
            // SAFETY: the host launches it as the function requires.
            unsafe { $crate::device::$($body)::+($($arg),*) }
        }
    )* };
}
