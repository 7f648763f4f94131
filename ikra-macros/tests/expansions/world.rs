pub struct Sim {
    pub bodies: Objects<Body>,
    pub cells: Objects<Cell>,
    #[doc(hidden)]
    __ikra: ::ikra::rt::WorldState,
}
#[automatically_derived]
impl Sim {
    /// A world without objects.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bodies: ::ikra::Objects::new(),
            cells: ::ikra::Objects::new(),
            __ikra: ::ikra::rt::WorldState::new(
                &[<Body as ::ikra::Class>::ID, <Cell as ::ikra::Class>::ID],
            ),
        }
    }
}
#[automatically_derived]
impl ::core::default::Default for Sim {
    fn default() -> Self {
        Self::new()
    }
}
#[automatically_derived]
unsafe impl ::ikra::World for Sim {
    type Tables = [::ikra::rt::AnyTable; 2usize];
    #[inline]
    fn tables(&self) -> Self::Tables {
        [self.bodies.any_table(), self.cells.any_table()]
    }
    #[inline]
    fn state(&self) -> &::ikra::rt::WorldState {
        &self.__ikra
    }
    fn layout(&self) -> ::ikra::WorldLayout {
        ::ikra::WorldLayout::new("Sim", [self.bodies.layout(), self.cells.layout()])
    }
}
#[automatically_derived]
unsafe impl ::ikra::Holds<Body> for Sim {
    #[inline]
    fn objects(&self) -> &::ikra::Objects<Body> {
        &self.bodies
    }
    #[inline]
    fn objects_mut(&mut self) -> &mut ::ikra::Objects<Body> {
        &mut self.bodies
    }
}
#[automatically_derived]
unsafe impl ::ikra::Holds<Cell> for Sim {
    #[inline]
    fn objects(&self) -> &::ikra::Objects<Cell> {
        &self.cells
    }
    #[inline]
    fn objects_mut(&mut self) -> &mut ::ikra::Objects<Cell> {
        &mut self.cells
    }
}
const _: () = ::ikra::rt::assert_closed::<
    Body,
>("Sim", &[<Body as ::ikra::Class>::ID, <Cell as ::ikra::Class>::ID]);
const _: () = ::ikra::rt::assert_closed::<
    Cell,
>("Sim", &[<Body as ::ikra::Class>::ID, <Cell as ::ikra::Class>::ID]);
