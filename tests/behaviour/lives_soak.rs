//! Births and deaths in balance for many steps: nothing grows without end. `IKRA_LONG` makes the steps a million.

use std::process::Command;

use ikra::prelude::*;

#[soa_class]
#[derive(Debug)]
pub struct Bug {
    pub seed: u32,
    pub born: u32,
    pub mother: Option<Link<Bug>>,
    #[inline_array(1)]
    pub kids: InnerArray<Link<Bug>>,
    #[soa(flatten)]
    pub home: Home,
}

/// Compacts by itself, and keeps an arena of its own.
#[soa_class(compact = 0.7, arena = 65536)]
pub struct Nest {
    pub bug: Option<Link<Bug>>,
    #[inline_array(0)]
    pub notes: InnerArray<u32>,
    pub age: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Home {
    pub nest: Option<Link<Nest>>,
    pub n: u32,
}

const BUGS: u32 = 40;

fn next(seed: u32) -> u32 {
    seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

#[soa_methods]
impl Bug {
    /// A bug has a child or dies, as likely as not. The population's size decides between the two.
    #[kernel]
    pub fn live(&mut self, step: u32, population: u32, bugs: Spawn<Bug>, nests: Spawn<Nest>) {
        self.seed = next(self.seed);
        if self.seed >> 16 & 7 != 0 {
            return;
        }
        if population > BUGS {
            self.remove();
            return;
        }
        let notes = (0..self.seed >> 20 & 15).collect();
        let nest = nests.push(Nest { bug: Some(self.link()), notes, age: 0 });
        let kid = bugs.push(Bug {
            seed: next(self.seed ^ step),
            born: step,
            mother: Some(self.link()),
            kids: [self.link()].into(),
            home: Home { nest: Some(nest), n: 1 },
        });
        let kids = (0..self.seed >> 24 & 3).map(|_| kid).collect();
        let home = Home { nest: Some(nest), n: 0 };
        bugs.push(Bug { seed: next(!self.seed), born: step, mother: Some(kid), kids, home });
        self.set_at_end(bug::home, home);
    }
}

#[soa_methods]
impl Nest {
    #[kernel]
    pub fn decay(&mut self) {
        self.age += 1;
        if self.age > 9 || self.bug.is_none() {
            self.remove();
        }
    }
}

#[soa_world]
pub struct Garden {
    pub bugs: Objects<Bug>,
    pub nests: Objects<Nest>,
}

/// The memory of the process in bytes, on Linux.
fn memory() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).map_or(0, |pages| pages * 4096)
}

/// In a process of its own: other tests use memory too.
#[test]
fn nothing_grows_without_end() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    let output = child.args(["--exact", "--ignored", "--nocapture", "lives_soak::many_steps"]).output().unwrap();
    let (text, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("1 passed"), "{text}\n{said}");
}

#[test]
#[ignore = "run by another, in a process of its own"]
fn many_steps() -> Result<(), ikra::Error> {
    let steps = if std::env::var_os("IKRA_LONG").is_some() { 1_000_000 } else { 10_000 };
    let mut garden = Garden::new();
    let home = Home { nest: None, n: 0 };
    let bug = |seed| Bug { seed: next(seed), born: 0, mother: None, kids: [].into(), home };
    garden.bugs.extend((0..BUGS).map(bug))?;
    let (mut most, mut born, mut before) = ([0; 4], 0, 0);
    for step in 1_u32..=steps {
        // Bugs with the same seed might all die at once.
        while garden.bugs.len() < 5 {
            let seed = step.wrapping_add(garden.bugs.len() as u32);
            garden.bugs.push(bug(seed))?;
        }
        let population = garden.bugs.len() as u32;
        garden.execute(Bug::live, (step, population));
        garden.execute(Nest::decay, ());
        born += garden.bugs.iter().filter(|bug| bug.born == step).count();
        if let Some(link) = garden.bugs.links().next_back() {
            let handle = garden.track(link)?;
            assert_eq!(garden.tracked(handle), Some(link));
        }
        let arenas = [garden.bugs.shape().arena.0, garden.nests.shape().arena.0];
        let slots = [garden.bugs.shape().objects, garden.nests.shape().objects];
        for (most, now) in most.iter_mut().zip(slots.into_iter().chain(arenas)) {
            *most = (*most).max(now);
        }
        if step == steps / 10 {
            before = memory();
        }
    }
    assert!(born > steps as usize, "{born} births");
    let [bugs, nests, bug_bytes, nest_bytes] = most;
    assert!(bugs < 8 * BUGS as usize && nests < 16 * BUGS as usize, "{most:?}");
    assert!(bug_bytes <= 64 << 10 && nest_bytes <= 64 << 10, "{most:?}");
    assert!(memory() < before + (16 << 20), "{before} bytes became {}", memory());
    Ok(())
}
