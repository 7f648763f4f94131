//! Loops over worklists.

use ikra::prelude::*;

/// The level of stations that are not reached.
pub const FAR: u32 = u32::MAX;

#[soa_class]
#[derive(Clone, Debug)]
pub struct Station {
    #[atomic]
    pub distance: u32,
    pub level: u32,
    #[atomic]
    pub best: u64,
    pub length: u64,
    pub is_new: bool,
    #[inline_array(2)]
    pub next: InnerArray<Link<Station>>,
    pub old: u32,
    pub visits: u32,
}

/// One object, for the whole loop.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Tour {
    pub level: u32,
    #[atomic]
    pub visited: u64,
}

/// Objects whose fields share memory, so that snapshots of them are copied.
#[soa_class(layout = "aos")]
#[derive(Clone, Debug)]
pub struct Crew {
    pub other: Link<Crew>,
    pub shifts: [u32; 3],
    pub hours: u32,
}

#[soa_methods]
impl Crew {
    #[kernel(snapshot(hours, shifts))]
    pub fn change_over(&mut self) {
        self.hours = self.hours.wrapping_mul(5).wrapping_add(self.other.hours());
        let shift = &mut self.shifts[self.hours as usize % 3];
        *shift = self.other.shifts().iter().fold(*shift, |sum, hours| sum.wrapping_mul(3).wrapping_add(*hours));
    }
}

#[soa_methods]
impl Station {
    /// All stations that reach a station store the same distance.
    #[kernel(unordered(distance))]
    pub fn expand(&self, next: Worklist<Station>) {
        let farther = self.distance.load().saturating_add(1);
        for other in &self.next {
            if other.distance().load() > farther {
                other.distance().store(farther);
                next.push(other.link());
            }
        }
    }
    /// All of many stations, some of them several times. Threads find different numbers of them.
    #[kernel]
    pub fn spread(&self, next: Worklist<Station>) {
        self.next.iter().for_each(|other| next.push(other.link()));
        for other in self.next.iter().take(self.old as usize % 5) {
            next.push(other.link());
        }
        if self.old.is_multiple_of(13) {
            next.push(self.link());
        }
    }
    /// Others find stations while one fails.
    #[kernel]
    pub fn stray(&self, next: Worklist<Station>, at: u32) {
        self.next.iter().for_each(|other| next.push(other.link()));
        let id = if self.old == at { u32::MAX - 1 } else { self.old };
        if let Some(link) = Link::from_id(id) {
            next.push(link);
        }
    }
    #[kernel]
    pub fn settle(&mut self, tour: Ref<Tour>) {
        self.level = tour.level();
        self.visits += 1;
    }
    #[kernel]
    pub fn look(&self, next: Worklist<Station>, tour: Ref<Tour>) {
        tour.visited().add(u64::from(self.old) + 1);
        for other in &self.next {
            if other.level() == FAR {
                Self::put(next, other);
            }
        }
    }
    fn put(next: Worklist<Station>, other: Ref<Station>) {
        next.push(other.link());
    }
    /// Takes the shortest path that it was told.
    #[kernel]
    pub fn shorten(&mut self) {
        let best = self.best.load();
        self.is_new = best < self.length;
        self.length = best;
        self.visits += 1;
    }
    #[kernel]
    pub fn relax(&self, next: Worklist<Station>) {
        if self.is_new {
            for other in &self.next {
                let link = other.link();
                other.best().min(self.length + u64::from(link.id().wrapping_mul(2_654_435_761) >> 25));
                next.push(link);
            }
        }
    }
    /// Starts again from some stations.
    #[kernel]
    pub fn seed(&self, next: Worklist<Station>, tour: Ref<Tour>, of: u32) {
        if self.old % 97 == of && tour.level() < of {
            next.push(self.link());
        }
    }
    /// Exchanges a column for its snapshot.
    #[kernel(snapshot(old))]
    pub fn twist(&mut self) {
        let mut sum = 1_u32;
        for other in &self.next {
            sum = u32::wrapping_add(sum, other.old());
        }
        self.old = self.old.rotate_left(3) ^ sum;
    }
    /// The threads of a block share what they read.
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Station>) {
        self.visits = self.visits.wrapping_mul(31).wrapping_add(other.old());
    }
    #[kernel]
    pub fn fail_at(&self, level: u32) {
        assert!(self.level != level, "too far");
    }
    #[kernel(reduce(Sum))]
    pub fn visits_of(&self) -> u64 {
        u64::from(self.visits)
    }
}

#[soa_methods]
impl Tour {
    #[kernel]
    pub fn deepen(&mut self) {
        self.level += 1;
    }
}

#[soa_world]
pub struct Railway {
    pub stations: Objects<Station>,
    pub tours: Objects<Tour>,
    pub crews: Objects<Crew>,
}
