//! A model, stored in the columns of a world.

use ikra::prelude::*;

use crate::model::{Model, Snap};
use crate::*;

/// Stores the model in the columns of a world of all objects.
pub(super) fn store(sim: &mut Sim, model: &Model, alphas: usize) {
    // Objects of an enum's classes have their ids in the order of those of the same variant.
    let thing = |n: usize| -> ThingLink {
        match n.checked_sub(alphas) {
            None => Link::<Alpha>::from_index(n).unwrap().into(),
            Some(n) => Link::<Beta>::from_index(n).unwrap().into(),
        }
    };
    let form = |n: usize| -> FormLink {
        let is_dot = |snap: &&Snap| matches!(snap, Snap::Dot { .. });
        let dots = model.forms[..n].iter().filter(is_dot).count();
        if is_dot(&&model.forms[n]) {
            Link::<Dot>::from_index(dots).unwrap().into()
        } else {
            Link::<Line>::from_index(n - dots).unwrap().into()
        }
    };
    let state = |n: usize| -> StateLink {
        let is_on = |snap: &&Snap| matches!(snap, Snap::On { .. });
        let ons = model.states[..n].iter().filter(is_on).count();
        if is_on(&&model.states[n]) {
            Link::<On>::from_index(ons).unwrap().into()
        } else {
            Link::<Off>::from_index(n - ons).unwrap().into()
        }
    };
    let peer = |n: usize| -> SharedLink { Link::<Gamma>::from_index(n).unwrap().into() };
    for (n, snap) in model.things.iter().enumerate() {
        match snap {
            Snap::Alpha { number, any, near, form: to, shared } => {
                let link = Link::from_index(n).unwrap();
                sim.set(link, alpha::number, *number);
                sim.set(link, alpha::any, any.map(thing));
                let near: Vec<_> = near.iter().map(|&n| thing(n)).collect();
                sim.alphas.set_array(alpha::near, link, &near).unwrap();
                sim.set(link, alpha::form, to.map(form));
                sim.set(link, alpha::shared, shared.map(peer));
            }
            Snap::Beta { number, kinds, twin, weak, same } => {
                let beta = |n: usize| Link::<Beta>::from_index(n - alphas).unwrap();
                let link = beta(n);
                sim.set(link, beta::number, *number as u64);
                sim.set(link, beta::kinds, *kinds);
                sim.set(link, beta::twin, twin.map(beta));
                sim.set(link, beta::weak, weak.map(form));
                sim.set(link, beta::same, beta(*same));
            }
            snap => panic!("{snap:?}"),
        }
    }
    for (n, snap) in model.forms.iter().enumerate() {
        match (form(n).class(), snap) {
            (FormIs::Dot(link), Snap::Dot { x, to }) => {
                sim.set(link, dot::x, *x);
                sim.set(link, dot::to, to.map(thing));
            }
            (FormIs::Line(link), Snap::Line { length, via, tail }) => {
                sim.set(link, line::length, *length);
                let via: Vec<_> = via.iter().map(|&n| form(n)).collect();
                sim.lines.set_array(line::via, link, &via).unwrap();
                if let (Some(link), Some(weight)) = (sim.get(link).tail().map(|tail| tail.link()), tail) {
                    sim.set(link, tail::weight, *weight);
                }
            }
            (_, snap) => panic!("{snap:?}"),
        }
    }
    for (n, snap) in model.gammas.iter().enumerate() {
        let Snap::Gamma { count, peers, state: to } = snap else { panic!("{snap:?}") };
        let link = Link::from_index(n).unwrap();
        sim.set(link, gamma::count, *count);
        let peers: Vec<_> = peers.iter().map(|&n| peer(n)).collect();
        sim.gammas.set_array(gamma::peers, link, &peers).unwrap();
        sim.set(link, gamma::state, state(*to));
    }
    for (n, snap) in model.states.iter().enumerate() {
        match (state(n).class(), snap) {
            (StateIs::On(link), Snap::On { level, back }) => {
                sim.set(link, on::level, *level);
                sim.set(link, on::back, back.map(peer));
            }
            (StateIs::Off(link), Snap::Off { since }) => sim.set(link, off::since, *since),
            (_, snap) => panic!("{snap:?}"),
        }
    }
}
