//! Two objects claim one place: the smallest id wins.

use ikra::prelude::*;

/// A place for one agent.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Place {
    /// The agent that gets it.
    #[atomic]
    pub holder: Option<Link<Agent>>,
}

/// An agent that claims a place.
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
    /// Claims the place.
    #[kernel]
    pub fn claim(&mut self) {
        self.wish.holder().claim(self.link());
    }

    /// Checks whether the claim succeeded.
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
