//! The plain model: snapshots in which numbers stand for pointers.

use crate::{KINDS, Kind};

/// An object of the model: numbers of objects of a kind stand for pointers, and a thing is an alpha or a beta.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Snap {
    Alpha { number: u32, any: Option<usize>, near: Vec<usize>, form: Option<usize>, shared: Option<usize> },
    Beta { number: usize, kinds: [Kind; 2], twin: Option<usize>, weak: Option<usize>, same: usize },
    Dot { x: i32, to: Option<usize> },
    Line { length: i16, via: Vec<usize>, tail: Option<u8> },
    Gamma { count: u64, peers: Vec<usize>, state: usize },
    On { level: u8, back: Option<usize> },
    Off { since: u32 },
}

/// SplitMix64.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
    fn maybe(&mut self, end: usize) -> Option<usize> {
        (self.below(3) > 0).then(|| self.below(end))
    }
    fn some(&mut self, end: usize) -> Vec<usize> {
        (0..self.below(4)).map(|_| self.below(end)).collect()
    }
}

/// The numbers of alphas, betas, forms, gammas and states.
pub(super) type Sizes = [usize; 5];

/// The model: one list per kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model {
    pub(super) things: Vec<Snap>,
    pub(super) forms: Vec<Snap>,
    pub(super) gammas: Vec<Snap>,
    pub(super) states: Vec<Snap>,
}

impl Model {
    pub(super) fn new([alphas, betas, forms, gammas, states]: Sizes, random: &mut Random) -> Self {
        let mut model = Self { things: Vec::new(), forms: Vec::new(), gammas: Vec::new(), states: Vec::new() };
        let sizes = [alphas, betas, forms, gammas, states];
        for n in 0..alphas + betas {
            model.things.push(thing(n < alphas, sizes, random));
        }
        for _ in 0..forms {
            let is_dot = random.below(2) == 0;
            let tail = (random.below(2) == 0).then(|| random.next() as u8);
            model.forms.push(form(is_dot, tail, sizes, random));
        }
        for _ in 0..gammas {
            model.gammas.push(gamma(sizes, random));
        }
        for _ in 0..states {
            let is_on = random.below(2) == 0;
            model.states.push(state(is_on, sizes, random));
        }
        model
    }

    /// Changes about a half of the objects, each in one of its fields or more, and keeps variants and boxes.
    pub(super) fn change(&mut self, sizes: Sizes, random: &mut Random) {
        for thing_ in &mut self.things {
            let new = thing(matches!(thing_, Snap::Alpha { .. }), sizes, random);
            mix(thing_, new, random);
        }
        for form_ in &mut self.forms {
            let tail = if let Snap::Line { tail, .. } = form_ {
                tail.map(|old| if random.below(2) == 0 { old } else { random.next() as u8 })
            } else {
                None
            };
            let new = form(matches!(form_, Snap::Dot { .. }), tail, sizes, random);
            mix(form_, new, random);
        }
        for gamma_ in &mut self.gammas {
            let new = gamma(sizes, random);
            mix(gamma_, new, random);
        }
        for state_ in &mut self.states {
            let new = state(matches!(state_, Snap::On { .. }), sizes, random);
            mix(state_, new, random);
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Snap> {
        self.things.iter().chain(&self.forms).chain(&self.gammas).chain(&self.states)
    }

    /// The number of objects of the world that differ.
    pub(super) fn differences(&self, other: &Self) -> usize {
        let tail = |snap: &Snap| if let Snap::Line { tail, .. } = snap { *tail } else { None };
        let without = |snap: &Snap| match snap.clone() {
            Snap::Line { length, via, .. } => Snap::Line { length, via, tail: None },
            snap => snap,
        };
        let differ = |(a, b): (&Snap, &Snap)| usize::from(without(a) != without(b)) + usize::from(tail(a) != tail(b));
        self.all().zip(other.all()).map(differ).sum()
    }
}

pub(super) fn thing(is_alpha: bool, [alphas, betas, forms, gammas, _]: Sizes, random: &mut Random) -> Snap {
    let things = alphas + betas;
    if is_alpha {
        return Snap::Alpha {
            number: random.next() as u32,
            any: random.maybe(things),
            near: random.some(things),
            form: random.maybe(forms),
            shared: random.maybe(gammas),
        };
    }
    let mut beta = || random.below(betas) + alphas;
    let (twin, same) = (beta(), beta());
    Snap::Beta {
        number: random.next() as usize,
        kinds: [KINDS[random.below(3)], KINDS[random.below(3)]],
        twin: random.maybe(1).map(|_| twin),
        weak: random.maybe(forms),
        same,
    }
}

pub(super) fn form(is_dot: bool, tail: Option<u8>, [alphas, betas, forms, ..]: Sizes, random: &mut Random) -> Snap {
    if is_dot {
        Snap::Dot { x: random.next() as i32, to: random.maybe(alphas + betas) }
    } else {
        Snap::Line { length: random.next() as i16, via: random.some(forms), tail }
    }
}

pub(super) fn gamma([.., gammas, states]: Sizes, random: &mut Random) -> Snap {
    Snap::Gamma { count: random.next(), peers: random.some(gammas), state: random.below(states) }
}

pub(super) fn state(is_on: bool, [.., gammas, _]: Sizes, random: &mut Random) -> Snap {
    if is_on {
        Snap::On { level: random.next() as u8, back: random.maybe(gammas) }
    } else {
        Snap::Off { since: random.next() as u32 }
    }
}

/// Takes some of the new fields.
pub(super) fn mix(old: &mut Snap, new: Snap, random: &mut Random) {
    let mut takes = || random.below(3) == 0;
    macro_rules! take {
        ($($old:ident = $new:ident),*) => {{ $( if takes() { *$old = $new; } )* }};
    }
    match (old, new) {
        (
            Snap::Alpha { number, any, near, form, shared },
            Snap::Alpha { number: number2, any: any2, near: near2, form: form2, shared: shared2 },
        ) => take!(number = number2, any = any2, near = near2, form = form2, shared = shared2),
        (
            Snap::Beta { number, kinds, twin, weak, same },
            Snap::Beta { number: number2, kinds: kinds2, twin: twin2, weak: weak2, same: same2 },
        ) => take!(number = number2, kinds = kinds2, twin = twin2, weak = weak2, same = same2),
        (Snap::Dot { x, to }, Snap::Dot { x: x2, to: to2 }) => take!(x = x2, to = to2),
        (Snap::Line { length, via, tail }, Snap::Line { length: length2, via: via2, tail: tail2 }) => {
            take!(length = length2, via = via2);
            *tail = tail2;
        }
        (Snap::Gamma { count, peers, state }, Snap::Gamma { count: count2, peers: peers2, state: state2 }) => {
            take!(count = count2, peers = peers2, state = state2);
        }
        (Snap::On { level, back }, Snap::On { level: level2, back: back2 }) => take!(level = level2, back = back2),
        (Snap::Off { since }, Snap::Off { since: since2 }) => take!(since = since2),
        (old, new) => panic!("{old:?} becomes {new:?}"),
    }
}

/// The numbers of strong and weak pointers, counted in the model: one more strong one for the list of all.
pub(super) fn counts(model: &Model) -> Vec<(usize, usize)> {
    let (mut things, mut forms) = (vec![(1, 0); model.things.len()], vec![(1, 0); model.forms.len()]);
    let (mut gammas, mut states) = (vec![(1, 0); model.gammas.len()], vec![(1, 0); model.states.len()]);
    for snap in model.all() {
        match snap {
            Snap::Alpha { any, near, form, shared, .. } => {
                any.iter().chain(near).for_each(|&n| things[n].0 += 1);
                form.iter().for_each(|&n| forms[n].0 += 1);
                shared.iter().for_each(|&n| gammas[n].0 += 1);
            }
            Snap::Beta { twin, weak, same, .. } => {
                twin.iter().for_each(|&n| things[n].0 += 1);
                weak.iter().for_each(|&n| forms[n].1 += 1);
                things[*same].1 += 1;
            }
            Snap::Dot { to, .. } => to.iter().for_each(|&n| things[n].1 += 1),
            Snap::Line { via, .. } => via.iter().for_each(|&n| forms[n].0 += 1),
            Snap::Gamma { peers, state, .. } => {
                peers.iter().for_each(|&n| gammas[n].0 += 1);
                states[*state].0 += 1;
            }
            Snap::On { back, .. } => back.iter().for_each(|&n| gammas[n].1 += 1),
            Snap::Off { .. } => {}
        }
    }
    [things, forms, gammas, states].concat()
}

/// The numbers of things, forms, gammas and states that can be reached from some things.
pub(super) fn reached(model: &Model, roots: &[usize]) -> [usize; 4] {
    let lists = [&model.things, &model.forms, &model.gammas, &model.states];
    let mut seen = lists.map(|list| vec![false; list.len()]);
    let mut work: Vec<(usize, usize)> = roots.iter().map(|&n| (0, n)).collect();
    while let Some((kind, n)) = work.pop() {
        if std::mem::replace(&mut seen[kind][n], true) {
            continue;
        }
        let mut to = |kind: usize, list: &[usize]| work.extend(list.iter().map(|&n| (kind, n)));
        match &lists[kind][n] {
            Snap::Alpha { any, near, form, shared, .. } => {
                to(0, any.as_slice());
                to(0, near);
                to(1, form.as_slice());
                to(2, shared.as_slice());
            }
            Snap::Beta { twin, weak, same, .. } => {
                to(0, twin.as_slice());
                to(1, weak.as_slice());
                to(0, &[*same]);
            }
            Snap::Dot { to: thing, .. } => to(0, thing.as_slice()),
            Snap::Line { via, .. } => to(1, via),
            Snap::Gamma { peers, state, .. } => {
                to(2, peers);
                to(3, &[*state]);
            }
            Snap::On { back, .. } => to(2, back.as_slice()),
            Snap::Off { .. } => {}
        }
    }
    seen.map(|seen| seen.iter().filter(|&&seen| seen).count())
}
