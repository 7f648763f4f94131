//! The ordinary objects of a model.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, RwLock};

use ikra::trace::{TraceWorld, Traced};

use crate::model::{Model, Snap};
use crate::{
    Alive, Forms, Peers, PlainAlpha, PlainBeta, PlainForm, PlainGamma, PlainState, PlainTail, Sim, States, Things,
};

/// The ordinary objects.
pub(super) struct Plain {
    alphas: Vec<Rc<RefCell<PlainAlpha>>>,
    betas: Vec<Rc<PlainBeta>>,
    forms: Vec<Forms>,
    gammas: Vec<Arc<Mutex<PlainGamma>>>,
    states: Vec<States>,
}

impl Plain {
    pub(super) fn new(model: &Model, count: &Arc<AtomicUsize>) -> Self {
        let alive = || Alive::new(count);
        let mut new = Self { alphas: vec![], betas: vec![], forms: vec![], gammas: vec![], states: vec![] };
        // First all objects, then the pointers between them.
        for snap in &model.states {
            new.states.push(Arc::new(RwLock::new(match *snap {
                Snap::On { level, .. } => PlainState::On { level, back: None, _alive: alive() },
                Snap::Off { since } => PlainState::Off { since, _alive: alive() },
                _ => panic!("not a state"),
            })));
        }
        for snap in &model.gammas {
            let Snap::Gamma { count, state, .. } = *snap else { panic!("not a gamma") };
            let state = Arc::clone(&new.states[state]);
            new.gammas.push(Arc::new(Mutex::new(PlainGamma { count, peers: vec![], state, _alive: alive() })));
        }
        for snap in &model.forms {
            new.forms.push(Rc::new(RefCell::new(match *snap {
                Snap::Dot { x, .. } => PlainForm::Dot { x, to: None, _alive: alive() },
                Snap::Line { length, tail, .. } => {
                    let tail = tail.map(|weight| Box::new(PlainTail { weight, _alive: alive() }));
                    PlainForm::Line(length, vec![], tail, alive())
                }
                _ => panic!("not a form"),
            })));
        }
        for snap in &model.things {
            match *snap {
                Snap::Alpha { number, .. } => new.alphas.push(Rc::new(RefCell::new(PlainAlpha {
                    number,
                    any: None,
                    near: vec![],
                    form: None,
                    shared: None,
                    _alive: alive(),
                }))),
                Snap::Beta { number, kinds, .. } => new.betas.push(Rc::new(PlainBeta {
                    number: Cell::new(number),
                    kinds: kinds.map(Cell::new),
                    twin: RefCell::default(),
                    weak: RefCell::default(),
                    same: RefCell::default(),
                    _alive: alive(),
                })),
                _ => panic!("not a thing"),
            }
        }
        new.connect(model);
        new
    }

    pub(super) fn thing(&self, n: usize) -> Things {
        match n.checked_sub(self.alphas.len()) {
            None => self.alphas[n].clone(),
            Some(n) => self.betas[n].clone(),
        }
    }
    fn beta(&self, n: usize) -> &Rc<PlainBeta> {
        &self.betas[n - self.alphas.len()]
    }
    fn peer(&self, n: usize) -> Peers {
        self.gammas[n].clone()
    }

    fn connect(&self, model: &Model) {
        for (n, snap) in model.things.iter().enumerate() {
            match snap {
                Snap::Alpha { any, near, form, shared, .. } => {
                    let mut alpha = self.alphas[n].borrow_mut();
                    alpha.any = any.map(|n| self.thing(n));
                    alpha.near = near.iter().map(|&n| self.thing(n)).collect();
                    alpha.form = form.map(|n| self.forms[n].clone());
                    alpha.shared = shared.map(|n| self.peer(n));
                }
                Snap::Beta { twin, weak, same, .. } => {
                    let beta = self.beta(n);
                    *beta.twin.borrow_mut() = twin.map(|n| self.beta(n).clone());
                    *beta.weak.borrow_mut() = weak.map_or(Weak::new(), |n| Rc::downgrade(&self.forms[n]));
                    *beta.same.borrow_mut() = Rc::downgrade(self.beta(*same));
                }
                snap => panic!("{snap:?}"),
            }
        }
        for (form, snap) in self.forms.iter().zip(&model.forms) {
            match (&mut *form.borrow_mut(), snap) {
                (PlainForm::Dot { to, .. }, Snap::Dot { to: new, .. }) => {
                    *to = new.map(|n| Rc::downgrade(&self.thing(n)));
                }
                (PlainForm::Line(_, via, ..), Snap::Line { via: new, .. }) => {
                    *via = new.iter().map(|&n| self.forms[n].clone()).collect();
                }
                (_, snap) => panic!("{snap:?}"),
            }
        }
        for (gamma, snap) in self.gammas.iter().zip(&model.gammas) {
            let Snap::Gamma { peers, .. } = snap else { panic!("{snap:?}") };
            gamma.lock().unwrap().peers = peers.iter().map(|&n| self.peer(n)).collect();
        }
        for (state, snap) in self.states.iter().zip(&model.states) {
            if let (PlainState::On { back, .. }, Snap::On { back: new, .. }) = (&mut *state.write().unwrap(), snap) {
                *back = new.map(|n| Arc::downgrade(&self.peer(n)));
            }
        }
    }

    /// The model of the objects as they are.
    pub(super) fn model(&self) -> Model {
        let things: HashMap<usize, usize> =
            (0..self.alphas.len() + self.betas.len()).map(|n| (Rc::as_ptr(&self.thing(n)).addr(), n)).collect();
        let forms: HashMap<_, _> = self.forms.iter().enumerate().map(|(n, form)| (Rc::as_ptr(form), n)).collect();
        let gammas: HashMap<_, _> =
            self.gammas.iter().enumerate().map(|(n, gamma)| (Arc::as_ptr(gamma).addr(), n)).collect();
        let states: HashMap<_, _> = self.states.iter().enumerate().map(|(n, state)| (Arc::as_ptr(state), n)).collect();
        let thing = |object: &Things| things[&Rc::as_ptr(object).addr()];
        let peer = |object: &Peers| gammas[&Arc::as_ptr(object).addr()];
        let alpha = |alpha: &Rc<RefCell<PlainAlpha>>| {
            let alpha = alpha.borrow();
            Snap::Alpha {
                number: alpha.number,
                any: alpha.any.as_ref().map(thing),
                near: alpha.near.iter().map(thing).collect(),
                form: alpha.form.as_ref().map(|form| forms[&Rc::as_ptr(form)]),
                shared: alpha.shared.as_ref().map(peer),
            }
        };
        let beta = |beta: &Rc<PlainBeta>| Snap::Beta {
            number: beta.number.get(),
            kinds: beta.kinds.each_ref().map(Cell::get),
            twin: beta.twin.borrow().as_ref().map(|twin| things[&Rc::as_ptr(twin).addr()]),
            weak: beta.weak.borrow().upgrade().map(|form| forms[&Rc::as_ptr(&form)]),
            same: things[&beta.same.borrow().as_ptr().addr()],
        };
        let form = |form: &Forms| match &*form.borrow() {
            PlainForm::Dot { x, to, .. } => {
                Snap::Dot { x: *x, to: to.as_ref().map(|to| thing(&to.upgrade().expect("all are alive"))) }
            }
            PlainForm::Line(length, via, tail, _) => Snap::Line {
                length: *length,
                via: via.iter().map(|form| forms[&Rc::as_ptr(form)]).collect(),
                tail: tail.as_ref().map(|tail| tail.weight),
            },
        };
        let gamma = |gamma: &Arc<Mutex<PlainGamma>>| {
            let gamma = gamma.lock().unwrap();
            let peers = gamma.peers.iter().map(peer).collect();
            Snap::Gamma { count: gamma.count, peers, state: states[&Arc::as_ptr(&gamma.state)] }
        };
        let state = |state: &States| match &*state.read().unwrap() {
            PlainState::On { level, back, .. } => Snap::On {
                level: *level,
                back: back.as_ref().map(|back| peer(&back.upgrade().expect("all are alive"))),
            },
            PlainState::Off { since, .. } => Snap::Off { since: *since },
        };
        Model {
            things: self.alphas.iter().map(alpha).chain(self.betas.iter().map(beta)).collect(),
            forms: self.forms.iter().map(form).collect(),
            gammas: self.gammas.iter().map(gamma).collect(),
            states: self.states.iter().map(state).collect(),
        }
    }

    /// The numbers of strong and weak pointers to each object.
    pub(super) fn counts(&self) -> Vec<(usize, usize)> {
        let alphas = self.alphas.iter().map(|object| (Rc::strong_count(object), Rc::weak_count(object)));
        let betas = self.betas.iter().map(|object| (Rc::strong_count(object), Rc::weak_count(object)));
        let forms = self.forms.iter().map(|object| (Rc::strong_count(object), Rc::weak_count(object)));
        let gammas = self.gammas.iter().map(|object| (Arc::strong_count(object), Arc::weak_count(object)));
        let states = self.states.iter().map(|object| (Arc::strong_count(object), Arc::weak_count(object)));
        alphas.chain(betas).chain(forms).chain(gammas).chain(states).collect()
    }

    /// All objects, as the roots of a trace: those of a kind have their ids in this order.
    pub(super) fn trace(&self) -> Traced<Sim> {
        let things: Vec<_> = (0..self.alphas.len() + self.betas.len()).map(|n| self.thing(n)).collect();
        let peers: Vec<_> = (0..self.gammas.len()).map(|n| self.peer(n)).collect();
        Sim::trace(&(things, &self.forms, peers, &self.states)).unwrap()
    }

    /// Removes all pointers between the objects.
    pub(super) fn unlink(&self) {
        for alpha in &self.alphas {
            let mut alpha = alpha.borrow_mut();
            (alpha.any, alpha.near, alpha.form, alpha.shared) = (None, vec![], None, None);
        }
        self.betas.iter().for_each(|beta| drop(beta.twin.take()));
        for form in &self.forms {
            if let PlainForm::Line(_, via, ..) = &mut *form.borrow_mut() {
                via.clear();
            }
        }
        self.gammas.iter().for_each(|gamma| gamma.lock().unwrap().peers.clear());
    }
}
