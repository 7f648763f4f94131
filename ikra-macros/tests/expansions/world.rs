pub struct Sim {
    pub bodies: Objects<Body>,
    pub cells: Objects<Cell>,
    #[doc(hidden)]
    made_by_new: ::ikra::rt::WorldState<Sim>,
}
::ikra::rt::host_only! {
    #[automatically_derived] impl Sim { #[doc = r" A world without objects."] #[must_use]
    pub fn new() -> Self { Self { bodies : ::ikra::Objects::new(), cells :
    ::ikra::Objects::new(), made_by_new : ::ikra::rt::WorldState::new(), } } }
    #[automatically_derived] impl ::core::default::Default for Sim { fn default() -> Self
    { Self::new() } } #[automatically_derived] impl ::core::clone::Clone for Sim { fn
    clone(& self) -> Self { Self { bodies : < ::ikra::Objects < Body > as
    ::core::clone::Clone > ::clone(& self.bodies), cells : < ::ikra::Objects < Cell > as
    ::core::clone::Clone > ::clone(& self.cells), made_by_new :
    ::ikra::rt::WorldState::new(), } } } #[automatically_derived] unsafe impl
    ::ikra::World for Sim { const CLASSES : & 'static [::ikra::rt::ClassId] = & [< Body
    as ::ikra::ClassInfo > ::ID, < Cell as ::ikra::ClassInfo > ::ID]; type Classes =
    (Body, (Cell, ())); const DEVICE_CODE : & 'static [::ikra::DeviceCode] = & [unsafe {
    ::ikra::DeviceCode::new("ikra-macros", ::core::option::Option::None) }]; #[inline] fn
    members(& self) -> impl ::core::convert::AsRef < [& dyn ::ikra::rt::AnyObjects] > {
    let members : [& dyn ::ikra::rt::AnyObjects; 2usize] = [& self.bodies, & self.cells];
    members } #[inline] fn members_mut(& mut self) -> impl ::core::convert::AsMut < [&
    mut dyn ::ikra::rt::AnyObjects] > { let members : [& mut dyn ::ikra::rt::AnyObjects;
    2usize] = [& mut self.bodies, & mut self.cells]; members } #[inline] fn state(& self)
    -> & ::ikra::rt::WorldState < Self > { & self.made_by_new } fn state_mut(& mut self)
    -> & mut ::ikra::rt::WorldState < Self > { & mut self.made_by_new } fn new() -> Self
    { Self::new() } fn open(world : & mut Self, place : ::ikra::Place,) ->
    ::core::result::Result < ::std::boxed::Box < dyn ::ikra::rt::Executor < Self >>,
    ::ikra::Error > { ::ikra::rt::open(world, place) } } #[automatically_derived] unsafe
    impl ::ikra::Holds < Body > for Sim { #[inline] fn objects(& self) -> &
    ::ikra::Objects < Body > { & self.bodies } #[inline] fn objects_mut(& mut self) -> &
    mut ::ikra::Objects < Body > { & mut self.bodies } } #[automatically_derived] unsafe
    impl ::ikra::Holds < Cell > for Sim { #[inline] fn objects(& self) -> &
    ::ikra::Objects < Cell > { & self.cells } #[inline] fn objects_mut(& mut self) -> &
    mut ::ikra::Objects < Cell > { & mut self.cells } } const _ : () =
    ::ikra::rt::assert_closed:: < Body > ("Sim", & [< Body as ::ikra::ClassInfo > ::ID, <
    Cell as ::ikra::ClassInfo > ::ID]); const _ : () = ::ikra::rt::assert_closed:: < Cell
    > ("Sim", & [< Body as ::ikra::ClassInfo > ::ID, < Cell as ::ikra::ClassInfo >
    ::ID]);
}
