pub struct Sim {
    pub bodies: Objects<Body>,
    pub cells: Objects<Cell>,
    #[doc(hidden)]
    #[cfg(not(target_arch = "nvptx64"))]
    __ikra: ::ikra::rt::WorldState,
}
#[cfg(not(target_arch = "nvptx64"))]
const _: () = {
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
        fn state_mut(&mut self) -> &mut ::ikra::rt::WorldState {
            &mut self.__ikra
        }
        fn visit_members(
            &mut self,
            visit: &mut dyn ::core::ops::FnMut(&mut dyn ::ikra::rt::AnyObjects),
        ) {
            visit(&mut self.bodies);
            visit(&mut self.cells);
        }
        fn device_code() -> ::core::option::Option<&'static str> {
            ::core::option::Option::None
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
};
