//! The elements of an inner array of a row. The device has none: rows with elements are made on the host.

pub(crate) type Elements<T> = [T; 0];

#[cold]
#[inline(never)]
fn on_the_host() -> ! {
    panic!("an `InnerArray` was made in a kernel; objects that have one are made on the host\0")
}

pub(crate) const fn none<T>() -> Elements<T> {
    []
}
pub(crate) fn copied<T>(elements: &[T]) -> Elements<T> {
    if elements.is_empty() { [] } else { on_the_host() }
}
pub(crate) fn of<T, const N: usize>(_: [T; N]) -> Elements<T> {
    if N == 0 { [] } else { on_the_host() }
}
pub(crate) fn collected<T>(elements: impl IntoIterator<Item = T>) -> Elements<T> {
    if elements.into_iter().next().is_none() { [] } else { on_the_host() }
}
