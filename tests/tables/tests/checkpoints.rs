//! Checkpoints: a run from one is the run that was never stopped, and nothing half-written is taken for one.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ikra::tables::{Checkpoints, TableError};
use ikra::{prelude::*, rng::Random};
use ikra_cluster::Cluster;
use ikra_tables_tests::{Bounds, Folder, Rows, Street, Things, Tiles, Town, message, names};
use proptest::prelude::*;
use twox_hash::XxHash3_64;

/// Objects that come and go, with links and lists.
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
struct Animal {
    energy: u32,
    weight: f32,
    home: Link<Place>,
    mother: Option<Link<Animal>>,
    #[inline_array(1)]
    seen: InnerArray<Link<Place>>,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
struct Place {
    grass: u32,
    next: Link<Place>,
}

#[soa_methods]
impl Animal {
    #[kernel]
    fn live(&mut self, step: u32, seed: u64, young: Spawn<Animal>) {
        let mut random = Random::new(seed, self.link().id(), step);
        // Any bits, those of NaNs too.
        self.weight = f32::from_bits(self.weight.to_bits().rotate_left(3) ^ random.next_u32());
        self.energy = self.energy.wrapping_add(random.below(5));
        if random.below(6) == 0 {
            self.remove();
        } else if self.energy > 12 {
            self.energy -= 9;
            let home = self.home.next();
            let (mother, seen) = (Some(self.link()), InnerArray::from([home.link()]));
            young.push(Animal { energy: 3, weight: 0.0, home: home.link(), mother, seen });
        }
    }

    #[kernel]
    fn eat(&mut self) {
        self.energy = self.energy.wrapping_add(self.home.grass() % 3);
    }
}

#[soa_world]
struct Land {
    animals: Objects<Animal>,
    places: Objects<Place>,
}

impl Land {
    fn of(animals: usize) -> Self {
        let mut land = Self::new();
        let places: Vec<_> = land.places.reserve(50).unwrap().collect();
        for n in 0..50 {
            land.places.init(places[n], Place { grass: n as u32, next: places[(7 * n + 1) % 50] }).unwrap();
        }
        for n in 0..animals {
            let seen = InnerArray::from(&places[..n % 4]);
            let row = Animal { energy: n as u32 % 10, weight: n as f32, home: places[n % 50], mother: None, seen };
            land.animals.push(row).unwrap();
        }
        land
    }

    fn steps(&mut self, steps: std::ops::Range<u32>, seed: u64) {
        steps.for_each(|step| self.execute(Animal::live, (step, seed)));
    }

    /// All objects with their ids, and all bits of theirs.
    fn all(&self) -> Vec<String> {
        let rows = self.animals.links().zip(&self.animals);
        rows.map(|(link, row)| format!("{link:?} {:x} {row:?}", row.weight.to_bits())).collect()
    }
}

/// The step at which runs end.
const END: u32 = 40;

/// Runs to the end, from the newest checkpoint on.
fn run(folder: &Path, seed: u64) -> Result<Land, TableError> {
    let mut checkpoints = Checkpoints::open(folder)?;
    let (mut land, first) = match checkpoints.newest::<Land>()? {
        Some(checkpoint) => (checkpoint.world, checkpoint.step as u32),
        None => (Land::of(500), 0),
    };
    for step in first..END {
        land.steps(step..step + 1, seed);
        checkpoints.write(&land, u64::from(step) + 1)?;
    }
    checkpoints.wait()?;
    Ok(land)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("IKRA_LONG").is_some() { 2000 } else { 60 }))]

    /// Written by some processes, and read by one.
    #[test]
    fn a_run_goes_on(animals in 0..300_usize, first in 0..12_u32, then in 0..12_u32, seed: u64, ranks in 1..5_usize) {
        let folder = Folder::new();
        let mut whole = Land::of(animals);
        whole.steps(0..first, seed);
        let name = Checkpoints::open(folder.path("run")).unwrap().name(u64::from(first)).unwrap();
        for rank in 0..ranks {
            let mut checkpoints = Checkpoints::open_part(folder.path("run"), rank, ranks).unwrap();
            let is_none = matches!(checkpoints.read::<Land>(&name), Err(TableError::NoCheckpoint { .. }));
            prop_assert!(is_none);
            prop_assert!(checkpoints.newest::<Land>().unwrap().is_none());
            checkpoints.write_as(&name, &whole, "some text\nand \"more\"").unwrap();
            checkpoints.wait().unwrap();
        }
        let read = Checkpoints::open(folder.path("run")).unwrap().newest::<Land>().unwrap().unwrap();
        prop_assert_eq!((read.step, &*read.state), (u64::from(first), "some text\nand \"more\""));
        let mut again = read.world;
        prop_assert_eq!(again.all(), whole.all());
        whole.steps(first..first + then, seed);
        again.steps(first..first + then, seed);
        prop_assert_eq!(again.all(), whole.all());
        whole.compact::<Animal>().unwrap();
        again.compact::<Animal>().unwrap();
        prop_assert_eq!(again.all(), whole.all());
    }
}

/// The last objects, and all objects, written by some processes.
#[test]
fn removed_objects_at_the_end() {
    for (ranks, end) in (1..4).flat_map(|ranks| [0, 1, 70, 199, 200].map(|end| (ranks, end))) {
        let folder = Folder::new();
        let mut land = Land::of(200);
        let links: Vec<_> = land.animals.links().collect();
        let of_middle = end / 2..end / 2 + usize::from(end > 0);
        of_middle.chain(end..200).for_each(|n| land.remove(links[n]).unwrap());
        let first = Checkpoints::open(folder.path("run")).unwrap();
        let name = first.name(1).unwrap();
        drop(first);
        for rank in 0..ranks {
            let mut checkpoints = Checkpoints::open_part(folder.path("run"), rank, ranks).unwrap();
            checkpoints.write_as(&name, &land, "").unwrap();
            checkpoints.wait().unwrap();
        }
        let mut again = Checkpoints::open(folder.path("run")).unwrap().newest::<Land>().unwrap().unwrap().world;
        assert_eq!(again.all(), land.all());
        for land in [&mut land, &mut again] {
            let home = land.places.links().next().unwrap();
            let animal = Animal { energy: 9, weight: 1.0, home, mother: None, seen: InnerArray::new() };
            assert_eq!(land.animals.push(animal).unwrap().index(), 200);
            land.steps(0..20, 1);
        }
        assert_eq!(again.all(), land.all(), "{ranks} ranks, objects from {end} on");
        for land in [&mut land, &mut again] {
            land.compact::<Animal>().unwrap();
            land.steps(20..25, 1);
        }
        assert_eq!(again.all(), land.all());
    }
}

/// Rows of removed objects have no lists: those of others could make a file larger than it may be.
#[test]
fn removed_objects_have_no_lists() {
    let folder = Folder::new();
    let mut land = Land::of(3000);
    let links: Vec<_> = land.animals.links().collect();
    let home = land.places.links().next().unwrap();
    let keeper = links[2999];
    // So many elements for each removed object were 1.2 GB.
    land.animals.set_array(animal::seen, keeper, &vec![home; 100_000]).unwrap();
    links[..2999].iter().filter(|link| **link != links[7]).for_each(|&link| land.remove(link).unwrap());
    let mut checkpoints = Checkpoints::open(folder.path("run")).unwrap();
    checkpoints.write(&land, 1).unwrap();
    checkpoints.wait().unwrap();
    let again = checkpoints.newest::<Land>().unwrap().unwrap().world;
    assert_eq!(again.all(), land.all());
    let path = folder.path("run").join(&checkpoints.names().unwrap()[0]);
    let bytes: u64 = fs::read_dir(path).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes < 1_000_000, "{bytes} bytes");
}

mod namesake {
    use ikra::prelude::*;

    #[soa_class]
    pub(super) struct Place {
        grass: u32,
        next: Link<Place>,
    }
}

#[soa_world]
struct Double {
    places: Objects<Place>,
    others: Objects<namesake::Place>,
}

#[soa_world]
struct Single {
    places: Objects<Place>,
}

#[test]
fn two_classes_of_one_name_are_not_read() {
    let folder = Folder::new();
    let mut checkpoints = Checkpoints::open(folder.path("run")).unwrap();
    checkpoints.write(&Single::new(), 1).unwrap();
    checkpoints.wait().unwrap();
    let text = message(checkpoints.newest::<Double>());
    assert!(text.contains("Place"), "{text}");
    assert!(matches!(checkpoints.newest::<Double>(), Err(TableError::SameName { class: "Place" })));
}

#[test]
fn every_kind_of_field_in_each_layout() {
    fn same<W: ikra::World, R: PartialEq + std::fmt::Debug>(world: &W, rows: impl Fn(&W) -> Vec<R>)
    where
        W::Classes: ikra::tables::TableClasses<W>,
    {
        let folder = Folder::new();
        let mut checkpoints = Checkpoints::open(folder.path("run")).unwrap();
        checkpoints.write(world, 3).unwrap();
        checkpoints.wait().unwrap();
        assert_eq!(checkpoints.last(), Some(3));
        assert_eq!(rows(&checkpoints.newest::<W>().unwrap().unwrap().world), rows(world));
    }
    same(&Things::of(300), Things::rows);
    same(&Rows::of(300), Rows::rows);
    same(&Tiles::of(300), Tiles::rows);
    same(&Bounds::of(300), Bounds::rows);
}

#[test]
fn the_newest_ones_are_kept_and_the_folder_is_locked() {
    let folder = Folder::new();
    let path = folder.path("run");
    let mut checkpoints = Checkpoints::open(&path).unwrap().keep(3);
    let locked = message(Checkpoints::open(&path));
    assert!(locked.contains("another program writes checkpoints there"), "{locked}");
    assert!(checkpoints.newest::<Land>().unwrap().is_none());
    // An attempt that ended early, and files of others.
    fs::create_dir(path.join(checkpoints.name(99).unwrap())).unwrap();
    let others = [
        "notes.txt",
        "step-7",
        "step-07-0000000000000000",
        "step-7-0",
        "step--0000000000000000",
        "step-7-1-0123456789abcdef",
    ];
    others.iter().for_each(|name| fs::write(path.join(name), "mine").unwrap());
    let land = Land::of(10);
    for step in 1..=5 {
        checkpoints.write(&land, step).unwrap();
    }
    checkpoints.wait().unwrap();
    let steps: Vec<_> = checkpoints.names().unwrap();
    let steps: Vec<_> = steps.iter().map(|name| name.split('-').nth(1).unwrap()).collect();
    assert_eq!(steps, ["5", "4", "3"]);
    assert_eq!(names(&path).len(), 3 + 1 + others.len(), "three, the lock and the others");
    drop(checkpoints);
    assert_eq!(Checkpoints::open(&path).unwrap().newest::<Land>().unwrap().unwrap().step, 5);
}

#[cfg(unix)]
#[test]
fn a_checkpoint_that_was_moved_away() {
    let folder = Folder::new();
    let path = folder.path("run");
    let mut checkpoints = Checkpoints::open(&path).unwrap().keep(1);
    let land = Land::of(10);
    checkpoints.write(&land, 1).unwrap();
    checkpoints.wait().unwrap();
    // Its folder is elsewhere, and a link leads there.
    let (name, elsewhere) = (checkpoints.names().unwrap().remove(0), folder.path("elsewhere"));
    fs::rename(path.join(&name), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, path.join(&name)).unwrap();
    assert_eq!(checkpoints.newest::<Land>().unwrap().unwrap().step, 1);
    let moved = names(&elsewhere);
    // The next one takes its place, and only the link goes.
    checkpoints.write(&land, 2).unwrap();
    checkpoints.wait().unwrap();
    assert_eq!(steps(&checkpoints), [2]);
    assert!(!path.join(&name).is_symlink());
    assert_eq!(names(&elsewhere), moved);
}

#[test]
fn parts_of_two_checkpoints() {
    let folder = Folder::new();
    let path = folder.path("run");
    let land = Land::of(40);
    let write = |other: u32| {
        let name = Checkpoints::open(&path).unwrap().name(7).unwrap();
        for rank in 0..2 {
            let mut part = Checkpoints::open_part(&path, rank, 2).unwrap();
            part.newest::<Land>().unwrap();
            let mut land = land.clone();
            land.steps(0..other, 1);
            part.write_as(&name, &land, "").unwrap();
            part.wait().unwrap();
        }
        path.join(name)
    };
    let (first, second) = (write(0), write(3));
    // The second part of the first one, with the same step and text.
    for file in names(&second).iter().filter(|file| file.contains("2-of-2")) {
        fs::copy(first.join(file), second.join(file)).unwrap();
    }
    let read = Checkpoints::open(&path).unwrap().newest::<Land>().unwrap().unwrap();
    assert_eq!(read.skipped.len(), 1);
    assert!(read.skipped[0].contains("it is that of another checkpoint"), "{:?}", read.skipped);
    assert_eq!(read.world.all(), land.all());
}

#[test]
fn damaged_checkpoints_are_skipped() {
    let folder = Folder::new();
    let path = folder.path("run");
    let mut checkpoints = Checkpoints::open(&path).unwrap();
    let mut land = Land::of(100);
    land.steps(0..5, 1);
    checkpoints.write(&land, 1).unwrap();
    checkpoints.write_with(&land, 2, "x").unwrap();
    checkpoints.wait().unwrap();
    let newest = path.join(&checkpoints.names().unwrap()[0]);
    for file in names(&newest) {
        let (file, is_manifest) = (newest.join(&file), file.ends_with(".json"));
        let whole = fs::read(&file).unwrap();
        let mut changed = whole.clone();
        changed[whole.len() / 2] ^= 1;
        for contents in [&whole[..0], &whole[..whole.len() / 3], &whole[..whole.len() - 1], &changed] {
            // The last byte of a manifest is the end of a line.
            if is_manifest && contents.len() == whole.len() - 1 {
                continue;
            }
            fs::write(&file, contents).unwrap();
            let read = checkpoints.newest::<Land>().unwrap().unwrap();
            assert_eq!((read.step, read.skipped.len()), (1, 1), "{file:?}");
            assert!(read.skipped[0].starts_with("step-2-") && !read.skipped[0].contains('\n'), "{:?}", read.skipped);
        }
        fs::remove_file(&file).unwrap();
        let read = checkpoints.newest::<Land>().unwrap().unwrap();
        assert_eq!((read.step, read.skipped.len()), (1, 1), "{file:?}");
        fs::write(&file, whole).unwrap();
    }
    assert_eq!(checkpoints.newest::<Land>().unwrap().unwrap().step, 2);
    // Manifests of numbers of parts that are not there.
    for foreign in ["1-of-0.json", "1-of-9.json"] {
        fs::write(newest.join(foreign), "{").unwrap();
        assert_eq!(checkpoints.newest::<Land>().unwrap().unwrap().step, 2, "{foreign}");
        fs::remove_file(newest.join(foreign)).unwrap();
    }
    // The manifest of another checkpoint.
    let other = path.join(&checkpoints.names().unwrap()[1]);
    fs::copy(other.join("1-of-1.json"), newest.join("1-of-1.json")).unwrap();
    assert_eq!(checkpoints.newest::<Land>().unwrap().unwrap().step, 1);
    // No whole one is left: an error, not a new beginning.
    fs::write(other.join("1-of-1.json"), "{").unwrap();
    let none = message(checkpoints.newest::<Land>());
    assert!(none.contains("it is that of another checkpoint"), "{none}");
}

/// Reads a checkpoint whose file of animals has other contents, of which the manifest has the hash.
fn read_with(checkpoints: &mut Checkpoints, folder: &Path, contents: &[u8]) -> Result<Land, TableError> {
    let (file, manifest) = (folder.join("Animal.1-of-1.arrow"), folder.join("1-of-1.json"));
    let (before, text) = (fs::read(&file).unwrap(), fs::read_to_string(&manifest).unwrap());
    let hash = |contents: &[u8]| format!("\"bytes\":{},\"hash\":{}", contents.len(), XxHash3_64::oneshot(contents));
    let (line, _) = text.split_once('\n').unwrap();
    assert!(line.contains(&hash(&before)), "{line}");
    let line = line.replace(&hash(&before), &hash(contents));
    fs::write(&manifest, format!("{line}\n{:016x}\n", XxHash3_64::oneshot(line.as_bytes()))).unwrap();
    fs::write(&file, contents).unwrap();
    let name = folder.file_name().unwrap().to_str().unwrap();
    let read = checkpoints.read::<Land>(name).map(|checkpoint| checkpoint.world);
    fs::write(&file, before).unwrap();
    fs::write(&manifest, text).unwrap();
    read
}

/// Files that no program wrote, with the right hashes: errors, or worlds in which each link names an object.
#[test]
fn hostile_files() {
    let folder = Folder::new();
    let path = folder.path("run");
    let mut checkpoints = Checkpoints::open(&path).unwrap();
    let mut land = Land::of(60);
    land.steps(0..4, 2);
    checkpoints.write(&land, 1).unwrap();
    checkpoints.wait().unwrap();
    let path = path.join(&checkpoints.names().unwrap()[0]);
    let whole = fs::read(path.join("Animal.1-of-1.arrow")).unwrap();
    assert_eq!(read_with(&mut checkpoints, &path, &whole).unwrap().all(), land.all());
    for len in (0..whole.len()).step_by(31) {
        assert!(read_with(&mut checkpoints, &path, &whole[..len]).is_err(), "{len} bytes");
    }
    let mut check = |contents: &[u8]| match read_with(&mut checkpoints, &path, contents) {
        Err(error) => drop(message::<()>(Err(error))),
        Ok(mut land) => land.steps(4..6, 2),
    };
    let is_long = std::env::var_os("IKRA_LONG").is_some();
    for at in (0..whole.len()).step_by(if is_long { 1 } else { 5 }) {
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let mut changed = whole.clone();
            changed[at] = byte;
            check(&changed);
        }
    }
    // Lengths and places of buffers.
    for at in (0..whole.len() - 8).step_by(if is_long { 8 } else { 24 }) {
        for number in [u64::MAX, i64::MAX as u64, 1 << 40, 1 << 31] {
            let mut changed = whole.clone();
            changed[at..at + 8].copy_from_slice(&number.to_le_bytes());
            check(&changed);
        }
    }
}

#[test]
fn a_checkpoint_of_another_world() {
    let folder = Folder::new();
    let mut checkpoints = Checkpoints::open(folder.path("run")).unwrap();
    checkpoints.write(&Land::of(3), 7).unwrap();
    checkpoints.wait().unwrap();
    let other = message(checkpoints.newest::<Town>());
    assert!(other.contains("it has no class Street"), "{other}");
    let name = &checkpoints.names().unwrap()[0];
    assert!(checkpoints.read::<Town>(name).is_err());
    let none = message(checkpoints.read::<Land>("step-7"));
    assert!(none.contains("is no checkpoint"), "{none}");
}

/// Worlds of a later program.
mod changed {
    use ikra::prelude::*;

    #[soa_class]
    pub(super) struct Street {
        number: u64,
        length: f32,
        next: Option<Link<Street>>,
        lanes: u8,
    }
    #[soa_class]
    pub(super) struct Car {
        age: u8,
        street: Link<Street>,
    }
    #[soa_world]
    pub(super) struct Streets {
        streets: Objects<Street>,
    }
    #[soa_world]
    pub(super) struct Town {
        streets: Objects<Street>,
        cars: Objects<Car>,
    }

    impl Town {
        pub(super) fn of_one() -> Self {
            let mut town = Self::new();
            town.streets.push(Street { number: 1, length: 2.0, next: None, lanes: 3 }).unwrap();
            town
        }
    }
}

#[test]
fn a_world_that_has_changed() {
    let folder = Folder::new();
    let mut checkpoints = Checkpoints::open(folder.path("run")).unwrap();
    let mut town = Town::new();
    town.streets.push(Street { number: 1, length: 2.0, next: None }).unwrap();
    checkpoints.write(&town, 1).unwrap();
    checkpoints.wait().unwrap();
    let more = message(checkpoints.newest::<changed::Streets>());
    assert!(more.contains("class Car, which this world lacks"), "{more}");
    let column = message(checkpoints.newest::<changed::Town>());
    assert!(column.contains("it has no column `lanes`, which class Street has"), "{column}");
    // A column that would be lost.
    let mut checkpoints = Checkpoints::open(folder.path("other")).unwrap();
    checkpoints.write(&changed::Town::of_one(), 1).unwrap();
    checkpoints.wait().unwrap();
    let lost = message(checkpoints.newest::<Town>());
    assert!(lost.contains("it has a column `lanes`, which class Street lacks"), "{lost}");
}

/// Runs a test of this program in a process of its own, after some commands of a shell.
fn child(before: &str, test: &str, folder: &Path) -> Child {
    let program = std::env::current_exe().unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{before} exec \"$0\" --exact {test} --nocapture")]).arg(program);
    shell.env("IKRA_CHECKPOINTS", folder).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The folder of a child.
fn own_folder() -> Option<std::path::PathBuf> {
    std::env::var_os("IKRA_CHECKPOINTS").map(Into::into)
}

#[test]
fn killed_at_any_time() {
    if let Some(folder) = own_folder() {
        run(&folder, 5).unwrap();
        return;
    }
    let expected = run(&Folder::new().path("run"), 5).unwrap().all();
    for seed in 0..if std::env::var_os("IKRA_LONG").is_some() { 40 } else { 4 } {
        let folder = Folder::new();
        let path = folder.path("run");
        let mut random = Random::new(seed, 0, 0);
        for _ in 0..6 {
            let mut child = child("", "killed_at_any_time", &path);
            std::thread::sleep(Duration::from_millis(random.below(250).into()));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(child("", "killed_at_any_time", &path).wait().unwrap().success());
        let mut checkpoints = Checkpoints::open(&path).unwrap();
        let end = checkpoints.newest::<Land>().unwrap().unwrap();
        assert_eq!((end.step, end.world.all()), (u64::from(END), expected.clone()));
        // A process that was killed may have left older ones, until another checkpoint is written.
        checkpoints.write(&end.world, u64::from(END) + 1).unwrap();
        checkpoints.wait().unwrap();
        assert!(checkpoints.names().unwrap().len() <= 2);
    }
}

/// A disk without room: here, files that may not become long.
#[test]
#[cfg(unix)]
fn a_full_disk() {
    if let Some(folder) = own_folder() {
        let mut checkpoints = Checkpoints::open(folder).unwrap();
        let (small, mut large) = (Land::of(10), Land::of(10_000));
        checkpoints.write(&small, 1).unwrap();
        checkpoints.write(&large, 2).unwrap();
        let full = message(checkpoints.wait());
        assert!(full.contains("step-2-") && full.contains("large"), "{full}");
        assert_eq!((checkpoints.last(), checkpoints.newest::<Land>().unwrap().unwrap().step), (Some(1), 1));
        // The program may go on.
        large.steps(0..1, 1);
        checkpoints.write(&small, 3).unwrap();
        checkpoints.wait().unwrap();
        assert_eq!(checkpoints.newest::<Land>().unwrap().unwrap().step, 3);
        return;
    }
    let folder = Folder::new();
    let output = child("trap '' XFSZ; ulimit -f 100;", "a_full_disk", &folder.path("run")).wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Nothing is left of the second one.
    let left = names(&folder.path("run"));
    assert!(left.len() == 3 && !left.iter().any(|name| name.starts_with("step-2-")), "{left:?}");
}

/// Ranks that share a world, as many as there are threads; one of them may end early.
fn run_on(ranks: usize, folder: &Path, ends: Option<(usize, u32)>) -> Vec<Result<Vec<String>, TableError>> {
    Cluster::threads(ranks, |cluster| {
        let mut checkpoints = cluster.checkpoints(folder)?;
        let (mut land, first) = match checkpoints.newest::<Land>()? {
            Some(checkpoint) => (checkpoint.world, checkpoint.step as u32),
            None => (Land::of(500), 0),
        };
        cluster.share(&mut land)?;
        for step in first..END {
            if ends == Some((cluster.rank(), step)) {
                return Ok(Vec::new());
            }
            land.on(ikra::Place::Cluster).execute(Animal::live, (step, 5))?;
            land.on(ikra::Place::Cluster).execute(Animal::eat, ())?;
            if step % 4 == 3 {
                checkpoints.write(&mut land, u64::from(step) + 1)?;
            }
        }
        checkpoints.wait()?;
        assert_eq!(checkpoints.last(), (first < END).then_some(u64::from(END)));
        cluster.gather(&mut land)?;
        Ok(land.all())
    })
}

#[test]
fn other_numbers_of_ranks_go_on() {
    let expected = run_on(1, &Folder::new().path("run"), None).remove(0).unwrap();
    let mut random = Random::new(9, 0, 0);
    for _ in 0..if std::env::var_os("IKRA_LONG").is_some() { 60 } else { 6 } {
        let folder = Folder::new();
        let path = folder.path("run");
        for _ in 0..3 {
            let ranks = 1 + random.below(4) as usize;
            let (rank, step) = (random.below(ranks as u32) as usize, random.below(END));
            for (other, ended) in run_on(ranks, &path, Some((rank, step))).into_iter().enumerate() {
                let Err(error) = ended else { continue };
                assert!(other != rank && error.to_string().contains(&format!("rank {rank} has ended")), "{error}");
            }
        }
        for ended in run_on(1 + random.below(4) as usize, &path, None) {
            assert_eq!(ended.unwrap(), expected);
        }
    }
}

#[test]
fn an_error_of_one_rank_is_one_of_all() {
    let folder = Folder::new();
    let path = folder.path("run");
    let lock = Checkpoints::open(&path).unwrap();
    let opened = Cluster::threads(2, |cluster| message(cluster.checkpoints(&path)));
    assert!(opened[0].contains("another program") && opened[1].contains("rank 0: "), "{opened:?}");
    drop(lock);
    Cluster::threads(2, |cluster| {
        let mut checkpoints = cluster.checkpoints(&path).unwrap();
        let mut land = Land::of(20);
        cluster.share(&mut land).unwrap();
        checkpoints.write(&mut land, 1).unwrap();
        checkpoints.wait().unwrap();
        let last = checkpoints.last();
        cluster.wait().unwrap();
        if cluster.is_first() {
            let name = &Checkpoints::open_part(&path, 1, 2).unwrap().names().unwrap()[0];
            fs::write(path.join(name).join("Animal.2-of-2.arrow"), "torn").unwrap();
        }
        cluster.wait().unwrap();
        assert!(message(checkpoints.newest::<Land>()).contains("Animal.2-of-2.arrow"));
        assert_eq!(last, Some(1));
    });
}

/// Parts of one checkpoint are of one step and have one text.
#[test]
fn ranks_that_differ() {
    let folder = Folder::new();
    let path = folder.path("run");
    Cluster::threads(2, |cluster| {
        let mut land = Land::of(10);
        cluster.share(&mut land).unwrap();
        let mut checkpoints = cluster.checkpoints(&path).unwrap();
        let rank = u64::from(!cluster.is_first());
        for (step, state) in [(10 + rank, "one"), (10, if rank == 0 { "one" } else { "other" })] {
            let refused = message(checkpoints.write_with(&mut land, step, state));
            assert!(refused.contains("rank 1 writes a checkpoint of another step or with another text"), "{refused}");
        }
        assert!(checkpoints.newest::<Land>().unwrap().is_none());
        checkpoints.write_with(&mut land, 12, "same").unwrap();
        checkpoints.wait().unwrap();
        assert_eq!(checkpoints.newest::<Land>().unwrap().unwrap().state, "same");
    });
}

#[test]
fn a_folder_of_an_earlier_run() {
    let folder = Folder::new();
    let (path, land) = (folder.path("run"), Land::of(5));
    let mut checkpoints = Checkpoints::open(&path).unwrap();
    checkpoints.write(&land, 300).unwrap();
    checkpoints.write(&land, 400).unwrap();
    drop(checkpoints);
    // It would be removed at once, since there are two of later steps.
    let mut checkpoints = Checkpoints::open(&path).unwrap();
    let used = message(checkpoints.write(&land, 1));
    assert!(used.contains("has checkpoints of an earlier run"), "{used}");
    assert_eq!(checkpoints.names().unwrap().len(), 2);
    assert_eq!(checkpoints.newest::<Land>().unwrap().unwrap().step, 400);
    checkpoints.write(&land, 401).unwrap();
    checkpoints.wait().unwrap();
    assert_eq!(checkpoints.newest::<Land>().unwrap().unwrap().step, 401);
}

/// Opens the folder, and says which checkpoint is the newest: its step and its text.
fn newest(path: &Path) -> (Checkpoints, Option<(u64, String)>) {
    let mut checkpoints = Checkpoints::open(path).unwrap();
    let found = checkpoints.newest::<Land>().unwrap().map(|found| (found.step, found.state));
    (checkpoints, found)
}

/// The steps of all checkpoints, the one that was written last first.
fn steps(checkpoints: &Checkpoints) -> Vec<u64> {
    let names = checkpoints.names().unwrap();
    names.iter().map(|name| name.split('-').nth(1).unwrap().parse().unwrap()).collect()
}

/// Writes checkpoints with these steps, in a new run.
fn write(path: &Path, keep: usize, of: &[u64]) {
    let mut checkpoints = newest(path).0.keep(keep);
    of.iter().for_each(|&step| checkpoints.write_with(&Land::of(3), step, "old").unwrap());
    checkpoints.wait().unwrap();
}

/// Changes a byte of the files of a checkpoint.
fn damage(path: &Path, name: &str) {
    let file = path.join(name).join("Place.1-of-1.arrow");
    let mut contents = fs::read(&file).unwrap();
    let middle = contents.len() / 2;
    contents[middle] ^= 1;
    fs::write(file, contents).unwrap();
}

#[test]
fn a_run_that_goes_back_keeps_what_it_writes() {
    let folder = Folder::new();
    for (keep, expected) in [(1, [vec![150], vec![160]]), (2, [vec![150, 200, 100], vec![160, 150]])] {
        let path = folder.path(&keep.to_string());
        write(&path, 2, &[100, 200]);
        let (checkpoints, _) = newest(&path);
        damage(&path, &checkpoints.names().unwrap()[0]);
        drop(checkpoints);
        let (checkpoints, found) = newest(&path);
        assert_eq!(found.unwrap().0, 100);
        let mut checkpoints = checkpoints.keep(keep);
        // What could not be read does not count.
        for (step, expected) in [150, 160].into_iter().zip(expected) {
            checkpoints.write(&Land::of(3), step).unwrap();
            checkpoints.wait().unwrap();
            assert_eq!((checkpoints.last(), steps(&checkpoints)), (Some(step), expected));
        }
        drop(checkpoints);
        assert_eq!(newest(&path).1.unwrap().0, 160);
    }
}

#[test]
fn a_run_that_starts_over() {
    let folder = Folder::new();
    let path = folder.path("run");
    write(&path, 2, &[900, 1000]);
    let (mut checkpoints, found) = newest(&path);
    assert_eq!(found.unwrap().0, 1000);
    // Other options: the program begins again.
    for (step, expected) in [(100, [100, 1000]), (200, [200, 100]), (300, [300, 200])] {
        checkpoints.write_with(&Land::of(3), step, "new").unwrap();
        checkpoints.wait().unwrap();
        assert_eq!(steps(&checkpoints), expected);
        assert_eq!(checkpoints.newest::<Land>().unwrap().unwrap().step, step);
    }
    drop(checkpoints);
    assert_eq!(newest(&path).1, Some((300, "new".to_owned())));
    // Ranks do the same.
    Cluster::threads(3, |cluster| {
        let mut checkpoints = cluster.checkpoints(&path).unwrap();
        assert_eq!(checkpoints.newest::<Land>().unwrap().unwrap().step, 300);
        let mut land = Land::of(30);
        cluster.share(&mut land).unwrap();
        for step in [10, 20] {
            checkpoints.write(&mut land, step).unwrap();
        }
        checkpoints.wait().unwrap();
        assert_eq!(checkpoints.last(), Some(20));
    });
    let (checkpoints, found) = newest(&path);
    assert_eq!((found.unwrap().0, steps(&checkpoints)), (20, vec![20, 10]));
}

/// Ranks that go back to an older checkpoint agree about it, and the first one removes.
#[test]
fn ranks_that_go_back() {
    let folder = Folder::new();
    let path = folder.path("run");
    write(&path, 2, &[100, 200]);
    damage(&path, &newest(&path).0.names().unwrap()[0]);
    Cluster::threads(2, |cluster| {
        let mut checkpoints = cluster.checkpoints(&path).unwrap().keep(1);
        assert_eq!(checkpoints.newest::<Land>().unwrap().unwrap().step, 100);
        let mut land = Land::of(30);
        cluster.share(&mut land).unwrap();
        checkpoints.write(&mut land, 150).unwrap();
        checkpoints.wait().unwrap();
    });
    let (checkpoints, found) = newest(&path);
    assert_eq!((found.unwrap().0, steps(&checkpoints)), (150, vec![150]));
}

#[test]
fn the_same_step_twice() {
    for _ in 0..8 {
        let folder = Folder::new();
        let mut checkpoints = Checkpoints::open(folder.path("run")).unwrap();
        for state in ["first", "second", "third"] {
            checkpoints.write_with(&Land::of(3), 100, state).unwrap();
        }
        checkpoints.wait().unwrap();
        drop(checkpoints);
        assert_eq!(newest(&folder.path("run")).1, Some((100, "third".to_owned())));
    }
}

/// Names of earlier versions have no number.
#[test]
fn checkpoints_of_earlier_versions() {
    let folder = Folder::new();
    let path = folder.path("run");
    write(&path, 2, &[900, 1000]);
    for name in newest(&path).0.names().unwrap() {
        let parts: Vec<_> = name.split('-').collect();
        let [step, number, _, attempt] = parts[..] else { panic!("{name}") };
        fs::rename(path.join(&name), path.join(format!("{step}-{number}-{attempt}"))).unwrap();
    }
    let (mut checkpoints, found) = newest(&path);
    assert_eq!((found.unwrap().0, steps(&checkpoints)), (1000, vec![1000, 900]));
    checkpoints.write(&Land::of(3), 950).unwrap();
    checkpoints.wait().unwrap();
    assert_eq!(steps(&checkpoints), [950, 1000]);
}

/// A rank that sees no checkpoint must not begin anew alone.
#[test]
fn a_rank_with_another_folder_gets_an_error() {
    let folder = Folder::new();
    write(&folder.path("used"), 3, &[900, 901, 902]);
    // A folder with the same name of a checkpoint that is not whole.
    let name = newest(&folder.path("used")).0.names().unwrap().remove(0);
    fs::create_dir_all(folder.path("part").join(name)).unwrap();
    for of_rank in [["used", "new"], ["used", "part"], ["part", "used"]] {
        let texts = Cluster::threads(2, |cluster| {
            let mut checkpoints = cluster.checkpoints(folder.path(of_rank[cluster.rank()])).unwrap();
            checkpoints.newest::<Land>().map(|found| found.is_some()).map_err(|error| error.to_string())
        });
        // Without a checkpoint on the first rank all begin anew, and writing there fails on both.
        match of_rank[0] {
            "used" => {
                assert!(texts.iter().all(|text| text.as_ref().is_err_and(|text| text.contains("all of them share"))))
            }
            _ => assert_eq!(texts, [Ok(false), Ok(false)]),
        }
    }
}

#[test]
fn ranks_that_share_no_folder() {
    let folder = Folder::new();
    let mut first = Checkpoints::open_part(folder.path("one machine"), 0, 2).unwrap();
    let name = first.name(1).unwrap();
    first.write_as(&name, &Land::of(5), "").unwrap();
    assert!(first.join().unwrap());
    let not_shared = message(first.remove_old());
    assert!(not_shared.contains("lacks the parts of other processes"), "{not_shared}");
    assert_eq!(names(&folder.path("one machine").join(name)).len(), 3, "nothing is removed");
}
