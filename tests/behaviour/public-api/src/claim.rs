//! Two objects want the same place: the smallest id wins.

use ikra::prelude::*;

/// A place for one agent.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Place {
    /// Who gets it.
    #[atomic]
    pub holder: Option<Link<Agent>>,
}

/// Someone who wants a place.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Agent {
    /// The place it wants.
    pub wish: Link<Place>,
    /// Whether it got it.
    pub seated: bool,
}

#[soa_methods]
impl Agent {
    /// Wants.
    #[kernel]
    pub fn claim(&mut self) {
        self.wish.holder().claim(self.link());
    }

    /// Looks whether it got it.
    #[kernel]
    pub fn sit(&mut self) {
        self.seated = self.wish.holder().load() == Some(self.link());
    }
}

/// A hall.
#[soa_world]
#[derive(Debug)]
pub struct Hall {
    /// Places.
    pub places: Objects<Place>,
    /// Agents.
    pub agents: Objects<Agent>,
}
