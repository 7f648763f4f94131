Car! {
    impl Car { #[allow(dead_code)] pub const WHEELS : u32 = 4; #[kernel(snapshot(pos),
    __of(Actor, 0))] pub fn tick(& mut self, dt : f32) { self.pos += dt; } pub fn
    target(& self) -> Option < Ref < Actor > > { None } #[doc = r" How fast it is."] pub
    fn speed(& self) -> f32 { 1.0 } }
}
#[automatically_derived]
impl ::ikra::dispatch::Implements<Actor> for Car {}
const _: ::core::primitive::usize = <Actor as ::ikra::dispatch::Includes<Car>>::TAG;
