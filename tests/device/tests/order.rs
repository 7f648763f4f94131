//! Results of single objects, selections, sorting and groups on a device: the same as on the host.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::Place;
use ikra::prelude::*;
use ikra_device_tests::model::order::*;
use ikra_device_tests::{emulated, has_gpu, is_emulated, is_short};

const GPU: Place = Place::Gpu(0);

/// The number of objects in each round: none, one, a warp and a bit, several blocks and chunks.
fn sizes() -> &'static [u32] {
    match (is_short(), is_emulated()) {
        (true, _) => &[0, 1, 700],
        (false, true) => &[0, 1, 31, 64, 5000, 20_000],
        (false, false) => &[0, 1, 31, 64, 5000, 300_000],
    }
}

fn mixed(n: u32) -> u32 {
    let mixed = n.wrapping_mul(0x9e37_79b9);
    (mixed ^ mixed >> 13).wrapping_mul(0x85eb_ca6b)
}

fn desk(cards: u32) -> Desk {
    let mut desk = Desk::new();
    let drawers: Vec<_> =
        desk.drawers.extend((0..cards / 5 + 1).map(|n| Drawer { top: None, weight: f64::from(n) })).unwrap().collect();
    for n in 0..cards {
        let drawn = mixed(n);
        desk.cards
            .push(Card {
                key: drawn,
                wide: u64::from(drawn % 97) << 40 | u64::from(mixed(drawn) % 5),
                small: drawn as i16,
                pos: [(drawn % 1009) as f32 * 0.01, (drawn % 911) as f32 * 0.01],
                flag: drawn.is_multiple_of(3),
                next: if n.is_multiple_of(4) { None } else { Link::from_id(1 + drawn % n) },
                drawer: drawers[drawn as usize % drawers.len()],
                crowd: 0,
            })
            .unwrap();
    }
    let cards: Vec<_> = desk.cards.links().collect();
    for (n, &drawer) in drawers.iter().enumerate() {
        if let Some(&card) = cards.get(n * 3) {
            let mut drawer = desk.get_mut(drawer);
            drawer.top = Some(drawer.resolve(card));
        }
    }
    desk
}

/// The same desks, and a place for each. Some have holes.
fn desks(cards: u32, holes: bool) -> [(Desk, Place); 2] {
    [Place::Host, GPU].map(|place| {
        let mut desk = desk(cards);
        if holes {
            desk.on(place).execute(Card::fold, (5, 300)).unwrap();
        }
        (desk, place)
    })
}

/// Everything in a desk, with ids.
fn all(desk: &Desk) -> (Vec<(u32, Card)>, Vec<(u32, Drawer)>) {
    let cards = desk.cards.links().map(Link::id).zip(desk.cards.iter());
    (cards.collect(), desk.drawers.links().map(Link::id).zip(desk.drawers.iter()).collect())
}

/// Compares what both places give for desks of all sizes, with and without holes.
fn compare<T: PartialEq + std::fmt::Debug>(of: impl Fn(&mut Desk, Place) -> T) {
    if !has_gpu() {
        return;
    }
    for &cards in sizes() {
        for holes in if cards < 2 { &[false][..] } else { &[false, true] } {
            let [host, gpu] = desks(cards, *holes).map(|(mut desk, place)| {
                let found = of(&mut desk, place);
                (found, all(&desk))
            });
            assert!(host == gpu, "{cards} cards, holes: {holes}: {:?} and {:?}", host.0, gpu.0);
        }
    }
}

#[test]
fn results_are_those_of_the_host() {
    compare(|desk, place| {
        let mut on = desk.on(place);
        (
            on.execute_and_collect(Card::rank, ()).unwrap(),
            on.execute_and_collect(Card::rank_wide, ()).unwrap(),
            on.execute_and_collect(Card::several, ()).unwrap(),
            on.execute_and_collect(Card::following, ()).unwrap(),
            on.execute_and_collect(Weighed::weigh, 0.25).unwrap(),
        )
    });
}

#[test]
fn kernels_with_results_change_objects() {
    compare(|desk, place| {
        let mut on = desk.on(place);
        let results = [on.execute_and_collect(Card::turn, 7).unwrap(), on.execute_and_collect(Card::pass, ()).unwrap()];
        let half = desk.cards.len() / 2;
        let some = desk.on(place).over(half / 2..half).execute_and_collect(Card::turn, 1000).unwrap();
        let links: Vec<_> = desk.cards.links().step_by(3).collect();
        let listed = desk.on(place).over(&links).execute_and_collect(Card::pass, ()).unwrap();
        (results, some, listed)
    });
}

#[test]
fn results_that_no_device_knows_stay_on_the_host() {
    let mut desk = desk(10);
    assert_eq!(desk.execute_and_collect(Card::name, ())[0], "up");
}

#[test]
fn results_are_copied_once() {
    if !has_gpu() {
        return;
    }
    let cards = 2000;
    let mut desk = desk(cards);
    desk.on(GPU).execute(Card::fold, (1, 0)).unwrap();
    desk.on(GPU).execute_and_collect(Card::turn, 3).unwrap();
    let before = desk.cuda().stats();
    desk.on(GPU).execute_and_collect(Card::turn, 3).unwrap();
    let after = desk.cuda().stats();
    assert_eq!(after.bytes_down - before.bytes_down, u64::from(cards) * 4);
    assert_eq!(after.bytes_up, before.bytes_up);
    assert_eq!(after.launches - before.launches, 1);
}

fn ids<C: ikra::Class>(selection: &ikra::Selection<C>) -> Vec<u32> {
    selection.links().map(Link::id).collect()
}

#[test]
fn selections_are_those_of_the_host() {
    compare(|desk, place| {
        let mut found = Vec::new();
        for of_thousand in [0, 1, 300, 999, 1000] {
            let some = desk.on(place).select(Card::is_chosen, (9, of_thousand)).selection().unwrap();
            // Kernels run for it, and choose among its objects.
            desk.on(place).over(&some).execute_and_collect(Card::turn, 5).unwrap();
            let fewer = desk.on(place).over(&some).select(Card::is_chosen, (10, 500)).selection().unwrap();
            let among = desk.on(place).over(&fewer).select(Card::is_chosen, (11, 500)).selection().unwrap();
            let (len, third) = (desk.cards.len(), desk.cards.len() / 3);
            let part = desk.on(place).over(third..len - third).select(Card::is_chosen, (12, 400)).selection().unwrap();
            let links: Vec<_> = desk.cards.links().skip(1).step_by(5).collect();
            let listed = desk.on(place).over(&links).select(Card::is_chosen, (13, 600)).selection().unwrap();
            let sets = [some.union(&part), part.intersection(&some), listed.difference(&among)];
            let folded = desk.on(place).over(&sets[0]).execute_and_collect(Card::rank, ()).unwrap();
            for selection in [&some, &fewer, &among, &part, &listed].into_iter().chain(&sets) {
                found.push((selection.len(), ids(selection)));
            }
            found.push((folded.len(), folded));
        }
        found
    });
}

/// Another world may have fewer objects than the one in which they were chosen.
#[test]
fn selections_of_selections_are_refused_by_their_objects_alone() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let mut desk = desk(700);
        let some = desk.on(place).select(Card::is_chosen, (9, 500)).selection().unwrap();
        let mut choose = || desk.on(place).over(&some).select(Card::is_chosen, (10, 20)).selection().unwrap();
        let few = [choose(), choose(), choose()];
        let end = *ids(&few[0]).last().unwrap();
        assert!(end < *ids(&some).last().unwrap(), "the last one is not chosen");
        let mut enough = self::desk(end);
        let ran = enough.on(place).over(&few[1]).execute_and_collect(Card::rank, ()).unwrap();
        let refused = self::desk(end - 1).on(place).over(&few[2]).execute_and_collect(Card::rank, ()).unwrap_err();
        (ran, refused.to_string())
    });
    assert_eq!(results[0], results[1]);
}

/// A copy to the host must not become a part of the graph that another thread makes.
#[test]
fn selections_are_read_while_launches_are_captured() {
    if !has_gpu() {
        return;
    }
    let mut desk = desk(700);
    let select = |desk: &mut Desk, place| {
        let some = |seed| desk.on(place).select(Card::is_chosen, (seed, 500)).selection().unwrap();
        (0..100).map(some).collect::<Vec<_>>()
    };
    let expected: Vec<_> = select(&mut desk, Place::Host).iter().map(ids).collect();
    for _ in 0..if is_short() { 2 } else { 10 } {
        let selections = select(&mut desk, GPU);
        let read = std::thread::scope(|scope| {
            let reader = scope.spawn(|| selections.iter().map(ids).collect::<Vec<_>>());
            while !reader.is_finished() {
                let recording = desk.on(GPU).record(|on| on.execute(Card::look_up, ())).unwrap();
                desk.on(GPU).replay(&recording).unwrap();
            }
            reader.join().unwrap()
        });
        assert!(read == expected);
    }
}

#[test]
fn selections_stay_on_the_device() {
    if !has_gpu() {
        return;
    }
    let cards = 5000;
    for holes in [false, true] {
        let mut desk = desk(cards);
        if holes {
            desk.on(GPU).execute(Card::fold, (5, 300)).unwrap();
        }
        let step = |desk: &mut Desk| {
            let some = desk.on(GPU).select(Card::is_chosen, (9, 400)).selection().unwrap();
            desk.on(GPU).over(&some).execute(Card::look_up, ()).unwrap();
            let fewer = desk.on(GPU).over(&some).select(Card::is_chosen, (10, 500)).selection().unwrap();
            desk.on(GPU).over(&fewer).execute(Card::look_up, ()).unwrap();
            assert!(fewer.len() < some.len() && !fewer.is_empty());
        };
        step(&mut desk);
        let before = desk.cuda().stats();
        step(&mut desk);
        let after = desk.cuda().stats();
        assert_eq!((after.bytes_down - before.bytes_down, after.bytes_up - before.bytes_up), (2 * 12, 0));
    }
}

#[test]
fn selections_of_removed_objects_are_refused() {
    if !has_gpu() {
        return;
    }
    let errors = [Place::Host, GPU].map(|place| {
        let mut desk = desk(500);
        let some = desk.on(place).select(Card::is_chosen, (9, 400)).selection().unwrap();
        desk.on(place).execute(Card::fold, (9, 100)).unwrap();
        let removed = desk.on(place).over(&some).execute(Card::look_up, ()).unwrap_err().to_string();
        let left = desk.on(place).select(Card::is_chosen, (9, 400)).selection().unwrap();
        desk.on(place).over(&left).execute(Card::look_up, ()).unwrap();
        desk.compact::<Card>().unwrap();
        (removed, desk.on(place).over(&left).execute(Card::look_up, ()).unwrap_err().to_string(), all(&desk))
    });
    assert_eq!(errors[0], errors[1]);
    assert!(errors[0].0.contains("removed"), "{}", errors[0].0);
}

/// The new links of the cards, by their old ids.
fn moved(moved: &ikra::Moved<Card>, cards: u32) -> Vec<Option<u32>> {
    (1..=cards + 1).map(|id| moved.link(Link::from_id(id).unwrap()).map(Link::id)).collect()
}

#[test]
fn objects_are_sorted_as_on_the_host() {
    compare(|desk, place| {
        let cards = desk.cards.links().last().map_or(0, Link::id);
        let third = desk.cards.links().nth(desk.cards.len() / 3).map(|card| desk.track(card).unwrap());
        let mut on = desk.on(place);
        let mut found = vec![
            moved(&on.sort_by_key(Card::rank_small, ()).unwrap(), cards),
            moved(&on.sort_by_key(Card::low, 3).unwrap(), cards),
            moved(&on.sort_by_key(Card::all_equal, ()).unwrap(), cards),
            moved(&on.sort_by_key(Card::rank_wide, ()).unwrap(), cards),
            moved(&on.sort_by_key(Card::rank_pair, ()).unwrap(), cards),
            moved(&on.shuffle::<Card>(17).unwrap(), cards),
        ];
        // With holes again.
        on.execute(Card::fold, (3, 200)).unwrap();
        found.push(moved(&on.sort_by_key(Card::rank, ()).unwrap(), cards));
        on.execute(Card::fold, (4, 200)).unwrap();
        found.push(moved(&on.shuffle::<Card>(18).unwrap(), cards));
        let crowds = on.execute_and_collect(Card::following, ()).unwrap();
        (found, crowds, third.map(|third| desk.tracked(third)))
    });
}

#[test]
fn lists_are_stale_after_sorting_if_objects_moved() {
    if !has_gpu() {
        return;
    }
    for place in [Place::Host, GPU] {
        let mut desk = desk(300);
        let some = desk.on(place).select(Card::is_chosen, (9, 400)).selection().unwrap();
        drop(desk.on(place).sort_by_key(Card::all_equal, ()).unwrap());
        desk.on(place).over(&some).execute(Card::look_up, ()).unwrap();
        drop(desk.on(place).sort_by_key(Card::rank, ()).unwrap());
        let error = desk.on(place).over(&some).execute(Card::look_up, ()).unwrap_err();
        assert!(matches!(error, ikra::Error::StaleList { .. }), "{error}");
    }
}

#[test]
fn sorting_copies_no_columns() {
    if !has_gpu() {
        return;
    }
    let mut desk = desk(3000);
    let step = |desk: &mut Desk, seed| {
        let moved = desk.on(GPU).shuffle::<Card>(seed).unwrap();
        drop(desk.on(GPU).sort_by_key(Card::rank, ()).unwrap());
        desk.on(GPU).execute(Card::look_up, ()).unwrap();
        moved
    };
    drop(step(&mut desk, 1));
    let before = desk.cuda().stats();
    let moved = step(&mut desk, 2);
    let after = desk.cuda().stats();
    assert_eq!((after.bytes_down - before.bytes_down, after.bytes_up - before.bytes_up), (2 * 4, 0));
    assert!(moved.link(Link::from_id(1).unwrap()).is_some());
    assert_eq!(desk.cuda().stats().bytes_down - after.bytes_down, 3000 * 4, "the mapping was fetched");
}

#[test]
fn classes_that_no_device_moves_are_sorted_by_the_host() {
    if !has_gpu() {
        return;
    }
    let shelves = [Place::Host, GPU].map(|place| {
        let mut shelf = Shelf::new();
        for n in 0..400 {
            let held = Held { card: Link::from_id(n).filter(|_| n.is_multiple_of(3)), since: n };
            shelf.plain.push(Plain { key: mixed(n) % 50, held }).unwrap();
        }
        shelf.on(place).sort_by_key(Plain::rank, ()).unwrap();
        let odd = shelf.on(place).select(Plain::is_odd, ()).selection().unwrap();
        (shelf.plain.iter().collect::<Vec<_>>(), ids(&odd))
    });
    assert_eq!(shelves[0], shelves[1]);
    assert!(shelves[0].0.is_sorted_by_key(|plain| plain.key));
}

#[test]
fn groups_are_those_of_the_host() {
    compare(|desk, place| {
        // Smaller cells for more objects: a kernel looks at all objects of nine cells for each.
        let side = if desk.cards.len() > 10_000 { 0.05 } else { 0.5 };
        let open = ikra::Grid::new([0.0, 0.0], [10.0, 9.0], side);
        let mut found = Vec::new();
        for groups in [1, 7, 256, 257, 70_000] {
            let by_rank = desk.on(place).group_by(Card::low, groups, groups).unwrap();
            desk.on(place).execute(Card::count, &by_rank).unwrap();
            found.push(desk.on(place).execute_and_collect(Card::seen, &by_rank).unwrap());
            // Kernels of the host take them too.
            desk.on(Place::Host).execute(Card::count, &by_rank).unwrap();
            found.push(by_rank.links(groups / 2).map(Link::id).collect());
            found.push(vec![by_rank.len() as u32, by_rank.groups()]);
        }
        for grid in [open, open.periodic()] {
            let some = desk.on(place).select(Card::is_chosen, (9, 700)).selection().unwrap();
            for near in [
                desk.on(place).group_by(Card::place, grid, ()).unwrap(),
                desk.on(place).over(&some).group_by(Card::place, grid, ()).unwrap(),
            ] {
                desk.on(place).execute(Card::look, &near).unwrap();
                found.push(desk.cards.iter().map(|card| card.crowd).collect());
                found.push((0..near.groups()).flat_map(|cell| near.links(cell).map(Link::id)).collect());
            }
        }
        found
    });
}

#[test]
fn objects_without_a_key_are_named_as_on_the_host() {
    compare(|desk, place| {
        let links: Vec<_> = desk.cards.links().skip(1).collect();
        let mut errors = Vec::new();
        for groups in [0, 1, 900] {
            errors.push(desk.on(place).group_by(Card::low, groups, 1000).err().map(|error| error.to_string()));
            let listed = desk.on(place).over(&links).group_by(Card::low, groups, 1000);
            errors.push(listed.err().map(|error| error.to_string()));
        }
        if let Some(&card) = links.get(links.len() / 2) {
            desk.set(card, card::pos, [f32::NAN, 1.0]);
            let grid = ikra::Grid::new([0.0, 0.0], [10.0, 9.0], 0.5);
            errors.push(desk.on(place).group_by(Card::place, grid, ()).err().map(|error| error.to_string()));
            desk.set(card, card::pos, [1.0, 1.0]);
        }
        errors
    });
}

#[test]
fn groups_stay_on_the_device() {
    if !has_gpu() {
        return;
    }
    let mut desk = desk(3000);
    let grid = ikra::Grid::new([0.0, 0.0], [11.0, 10.0], 0.5).periodic();
    let step = |desk: &mut Desk| {
        let near = desk.on(GPU).group_by(Card::place, grid, ()).unwrap();
        desk.on(GPU).execute(Card::look, &near).unwrap();
    };
    step(&mut desk);
    let before = desk.cuda().stats();
    step(&mut desk);
    let after = desk.cuda().stats();
    assert_eq!((after.bytes_down - before.bytes_down, after.bytes_up - before.bytes_up), (4, 0));
}

#[test]
fn objects_are_kept_as_on_the_host() {
    compare(|desk, place| {
        let cards = desk.cards.links().last().map_or(0, Link::id);
        let third = desk.cards.links().nth(desk.cards.len() / 3).map(|card| desk.track(card).unwrap());
        let mut found = Vec::new();
        let kept = desk.on(place).retain(Card::is_chosen, (3, 700)).unwrap();
        found.push((moved(&kept, cards), kept.removed()));
        desk.on(place).execute(Card::fold, (3, 200)).unwrap();
        let kept = desk.on(place).compact::<Card>().unwrap();
        found.push((moved(&kept, cards), kept.removed()));
        found.push((moved(&desk.on(place).compact::<Card>().unwrap(), cards), 0));
        desk.on(place).execute(Card::fold, (4, 200)).unwrap();
        let mut links: Vec<_> = desk.cards.links().collect();
        links.reverse();
        let kept = desk.on(place).reorder(&links).unwrap();
        found.push((moved(&kept, cards), kept.removed()));
        let some: Vec<_> = desk.cards.links().skip(1).step_by(2).collect();
        let kept = desk.on(place).reorder(&some).unwrap();
        found.push((moved(&kept, cards), kept.removed()));
        // Cards cannot be without their drawers.
        let drawers: Vec<_> = desk.drawers.links().skip(1).collect();
        let error = desk.on(place).reorder(&drawers).map(drop).map_err(|error| error.to_string());
        let followers = desk.on(place).execute_and_collect(Card::following, ()).unwrap();
        (found, error, followers, third.map(|third| desk.tracked(third)))
    });
}

#[test]
fn keeping_objects_copies_no_columns() {
    if !has_gpu() {
        return;
    }
    let mut desk = desk(3000);
    let step = |desk: &mut Desk, seed| {
        desk.on(GPU).retain(Card::is_chosen, (seed, 900)).unwrap();
        desk.on(GPU).execute(Card::fold, (seed, 100)).unwrap();
        desk.on(GPU).compact::<Card>().unwrap();
        desk.on(GPU).execute(Card::look_up, ()).unwrap();
    };
    step(&mut desk, 1);
    let before = desk.cuda().stats();
    step(&mut desk, 2);
    let after = desk.cuda().stats();
    let (down, up) = (after.bytes_down - before.bytes_down, after.bytes_up - before.bytes_up);
    assert!(down < 100 && up < 100, "{down} bytes to the host, {up} from it");
}

/// Fails each allocation in turn. Whatever was done is done, and nothing by half.
#[test]
#[ignore = "run by the next test, on the emulator"]
fn without_memory() {
    assert!(has_gpu());
    let all = |desk: &Desk| (all(desk), desk.cards.len());
    let mut desk = desk(1000);
    let before = all(&desk);
    let keys = |desk: &Desk| desk.cards.iter().map(|card| card.key).collect::<Vec<_>>();
    let mut failures = 0;
    let near = desk.on(GPU).group_by(Card::low, 10, 10).map(drop);
    failures += u32::from(near.is_err());
    let chosen = desk.on(GPU).select(Card::is_chosen, (1, 500)).selection().map(drop);
    failures += u32::from(chosen.is_err());
    assert_eq!(all(&desk), before);
    match desk.on(GPU).sort_by_key(Card::rank, ()) {
        Ok(_) => assert!(keys(&desk).is_sorted()),
        Err(error) => {
            failures += 1;
            assert!(error.to_string().contains("memory"), "{error}");
            assert_eq!(all(&desk), before);
        }
    }
    desk.on(Place::Host).sort_by_key(Card::rank, ()).unwrap();
    assert!(keys(&desk).is_sorted());
    println!("{failures} failures");
}

#[test]
fn what_finds_no_memory_does_nothing() {
    if !has_gpu() {
        return;
    }
    let nths: &[u32] = if is_short() { &[20, 33] } else { &[8, 12, 16, 20, 24, 26, 28, 30, 32, 34, 36, 38, 40, 44] };
    let mut failures = 0;
    for nth in nths {
        let plan = format!("cuMemAlloc_v2:2@{nth}");
        let said = emulated(&[("PLAN", &plan)], &["without_memory"]);
        failures += u32::from(!said.contains("0 failures"));
    }
    assert!(failures > 0, "{failures}");
}
