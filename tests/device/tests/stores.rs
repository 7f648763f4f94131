//! A kernel stores a field where it assigns it, and also fields that it changes otherwise.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::Place;
use ikra::prelude::*;
use ikra_build::ptx;
use ikra_device_tests::model::stores::{Item, Shelf};
use ikra_device_tests::{device_code, has_gpu};

const ITEMS: u32 = 1_000;

fn shelf() -> Shelf {
    let mut shelf = Shelf::new();
    let items = (0..ITEMS).map(|n| Item {
        kind: (n % 5) as u8,
        energy: n * 7 % 11,
        seen: n,
        pair: [n as f32, -0.0],
        next: Link::from_index((n as usize * 17 + 3) % ITEMS as usize),
    });
    shelf.items.extend(items).unwrap();
    shelf
}

fn run(shelf: &mut Shelf, place: Place) {
    let mut on = shelf.on(place);
    for by in [3, 4, 9] {
        on.execute(Item::feed, by).unwrap();
        on.execute(Item::sort, by).unwrap();
        on.execute(Item::hide, by).unwrap();
        on.execute(Item::undo, by).unwrap();
    }
    on.execute(Item::sort, 6).unwrap();
    let all: Vec<Link<Item>> = (0..ITEMS as usize).step_by(3).filter_map(Link::from_index).collect();
    on.over(&all).execute(Item::replace, 5).unwrap();
}

#[test]
fn host_and_device_store_the_same() {
    if !has_gpu() {
        return;
    }
    let (mut host, mut device) = (shelf(), shelf());
    run(&mut host, Place::Host);
    run(&mut device, Place::Gpu(0));
    let rows = |shelf: &Shelf| -> Vec<String> {
        shelf.items.iter().map(|item| format!("{item:?} {:?} {:?}", item.pair.map(f32::to_bits), item.next)).collect()
    };
    assert_eq!(rows(&host), rows(&device));
    assert_ne!(rows(&host), rows(&shelf()));
}

#[test]
fn what_is_not_assigned_is_neither_loaded_nor_stored() {
    let Some(path) = device_code() else { return };
    let kernels = ptx::kernels(&std::fs::read_to_string(path).unwrap());
    let kernel = |name: &str| kernels.iter().find(|kernel| kernel.name.starts_with(name)).unwrap();
    let count = |code: &[&str], kind: &str| code.iter().filter(|one| one.starts_with(kind)).count();
    // The kernel branches on the kind; any other kind ends it.
    let feed = kernel("ikra_kernel_Item_feed_");
    let all: Vec<&str> = feed.instructions().collect();
    let first = all.iter().position(|one| one.starts_with("ld.global.nc.u8")).unwrap();
    let rest = &all[first + all[first..].iter().position(|one| one.starts_with("bra")).unwrap()..];
    assert_eq!(count(&all, "ld.global"), 4, "the list, the kind, the energy, and the next: {}", feed.body);
    assert_eq!((count(rest, "ld.global"), count(rest, "st.global")), (2, 3), "{}", feed.body);
    let replace = kernel("ikra_kernel_Item_replace_");
    assert_eq!((replace.count("ld.global"), replace.count("st.")), (1, 2), "{}", replace.body);
}
