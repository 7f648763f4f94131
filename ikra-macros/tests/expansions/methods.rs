impl Body {
    pub fn new() -> Self {
        Self {
            pos: [0.0; 2],
            next: None,
            hits: 0,
        }
    }
    #[doc(hidden)]
    #[allow(clippy::inline_always)]
    #[inline(always)]
    /// Makes one.
    pub fn __construct_spawn(id: u32, pos: [f32; 2]) -> Self {
        Self { pos, ..Self::new() }
    }
}
#[automatically_derived]
#[allow(non_upper_case_globals, dead_code)]
impl Body {
    #[doc(hidden)]
    pub(crate) const __effects_of_attract: ::ikra::rt::MethodEffects = ::ikra::rt::MethodEffects::new(
            0,
            0,
        )
        .atomics(const { &[::ikra::AtomicUse::new("hits", 0, 4)] })
        .calls(::core::file!(), &[("add", 1), ("hits", 1)]);
    #[doc(hidden)]
    pub(crate) const __effects_of_distance: ::ikra::rt::MethodEffects = ::ikra::rt::MethodEffects::new(
            1,
            0,
        )
        .calls(::core::file!(), &[("hypot", 1)]);
}
///What `follow` does, and the methods of other blocks that it calls.
const _: () = {
    ::ikra::rt::reach! {
        Body, __effects_of_follow = "follow", ::ikra::rt::MethodEffects::new(1, 1)
        .others(1).calls(::core::file!(), & [("distance", 1), ("hypot", 1)]);
        __effects_of_elsewhere or::ikra::rt::MethodEffects::WRITES_ALL
        .because("`follow` calls `elsewhere`, which may be a trait's")
    }
};
#[allow(clippy::needless_borrow)]
impl<'__w, __P: ::ikra::Phase> BodyMut<'__w, __P> {
    /// Moves.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn follow(&mut self, leader: ::ikra::Ref<'__w, Body, __P>, factor: f32) {
        self.pos[0] += factor * leader.distance();
        <BodyMut<'_, __P>>::elsewhere(self);
    }
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn attract(&mut self, other: ::ikra::Ref<'__w, Body, __P>) {
        other.hits().add(1);
    }
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn distance(&self) -> f32 {
        self.pos[0].hypot(self.pos[1])
    }
}
#[automatically_derived]
#[allow(dead_code, missing_docs, clippy::too_many_arguments, clippy::mut_from_ref)]
impl<'__w, __P: ::ikra::Phase> BodyRef<'__w, __P> {
    #[inline(always)]
    #[track_caller]
    pub fn distance(&self) -> f32 {
        const __EFFECTS: ::ikra::rt::Reached = <Body>::__effects_of_distance
            .reach(::ikra::rt::Reached::NONE);
        ::ikra::rt::Handle::with_view(
            <Self as ::ikra::Object<'__w>>::handle(self),
            const {
                ::ikra::rt::AllRaceFree::<
                    __P,
                    Body,
                    { __EFFECTS.reads() },
                >::check("distance", __EFFECTS.reason())
            },
            |view| <BodyMut<'__w, __P>>::distance(view),
        )
    }
    #[doc(hidden)]
    pub fn follow(&self, _: ::ikra::Ref<'__w, Body, __P>, _: f32)
    where
        for<'__a> Body: ::ikra::rt::mistakes::ChangesOthers,
    {
        ::core::unreachable!()
    }
    #[doc(hidden)]
    pub fn attract(&self, _: ::ikra::Ref<'__w, Body, __P>)
    where
        for<'__a> Body: ::ikra::rt::mistakes::ChangesOthers,
    {
        ::core::unreachable!()
    }
}
///The kernel [`Body::follow`]: its handle, what it does to fields, and how executors call it.
const _: () = {
    ::ikra::rt::kernel! {
        #[doc = "`fn follow(&mut self, leader: Ref<Body>, factor: f32)`"] #[doc = ""]
        #[doc = r" Moves."] pub const follow : Kernel_follow = "Body::follow" for Body[0
        1 2], NoRow; exclusive(< Body > ::__effects_of_follow
        .reach(::ikra::rt::Reached::NONE), 1);
    }
    #[automatically_derived]
    impl ::ikra::rt::Call<(<Body as ::ikra::dispatch::Referent>::Link, f32)>
    for Kernel_follow {
        type Output = ();
        type Followed<'__w, __P: ::ikra::Phase> = (
            <Body as ::ikra::dispatch::Referent>::Ref<'__w, __P>,
        );
        #[inline(always)]
        #[allow(unused_variables)]
        fn follow<'__w, __P: ::ikra::Phase>(
            from: ::ikra::rt::Handle<'__w, Self::Class, __P>,
            (arg0, arg1): &(<Body as ::ikra::dispatch::Referent>::Link, f32),
        ) -> Self::Followed<'__w, __P> {
            (::ikra::rt::Handle::resolve(from, *arg0),)
        }
        #[inline(always)]
        #[allow(unused_variables)]
        fn call<'__w, __P: ::ikra::Phase>(
            view: &mut BodyMut<'__w, __P>,
            (arg0, arg1): (<Body as ::ikra::dispatch::Referent>::Link, f32),
            followed: Self::Followed<'__w, __P>,
        ) -> () {
            let (arg0,) = followed;
            <BodyMut<'__w, __P>>::follow(view, arg0, arg1)
        }
    }
    ::ikra::rt::entry! {
        execute Kernel_follow = "Body::follow" at ":1:0" for Body; (arg0, arg1) : (< Body
        as ::ikra::dispatch::Referent > ::Link, f32) = (arg0 : < Body as
        ::ikra::dispatch::Referent > ::Link, arg1 : f32) as
        "ikra_kernel_Body_follow_1_0_6b326105"
    }
};
///The kernel [`Body::attract`]: its handle, what it does to fields, and how executors call it.
const _: () = {
    ::ikra::rt::kernel! {
        #[doc = "`fn attract(&mut self, other: Ref<Body>)`"] #[doc = ""] pub const
        attract : Kernel_attract = "Body::attract" for Body[0 1 2], TileRow; exclusive(<
        Body > ::__effects_of_attract.reach(::ikra::rt::Reached::NONE), 0).heavy()
        .for_pairs(0);
    }
    #[automatically_derived]
    unsafe impl ::ikra::rt::PairCall<()> for Kernel_attract {
        type Other = Body;
        #[inline(always)]
        fn call<'__w, __P: ::ikra::Phase>(
            view: &mut BodyMut<'__w, __P>,
            other: <Body as ::ikra::Class>::Ref<'__w, __P>,
            (): (),
        ) {
            <BodyMut<'__w, __P>>::attract(view, other);
        }
    }
    ::ikra::rt::entry! {
        execute_pairs Kernel_attract = "Body::attract" at ":1:0" for Body; () : () = ()
        as "ikra_kernel_Body_attract_1_0_6b326105"
    }
};
///The kernel [`Body::distance`]: its handle, what it does to fields, and how executors call it.
const _: () = {
    ::ikra::rt::kernel! {
        #[doc = "`fn distance(&self) -> f32`"] #[doc = ""] pub const distance :
        Kernel_distance = "Body::distance" for Body[0 1 2], NoRow; shared(< Body >
        ::__effects_of_distance.reach(::ikra::rt::Reached::NONE));
    }
    #[automatically_derived]
    impl ::ikra::rt::Call<()> for Kernel_distance {
        type Output = f32;
        type Followed<'__w, __P: ::ikra::Phase> = ();
        #[inline(always)]
        #[allow(unused_variables)]
        fn follow<'__w, __P: ::ikra::Phase>(
            from: ::ikra::rt::Handle<'__w, Self::Class, __P>,
            (): &(),
        ) -> Self::Followed<'__w, __P> {}
        #[inline(always)]
        #[allow(unused_variables)]
        fn call<'__w, __P: ::ikra::Phase>(
            view: &mut BodyMut<'__w, __P>,
            (): (),
            followed: Self::Followed<'__w, __P>,
        ) -> f32 {
            <BodyMut<'__w, __P>>::distance(view)
        }
    }
    ::ikra::rt::entry! {
        execute Kernel_distance = "Body::distance" at ":1:0" for Body; () : () = () as
        "ikra_kernel_Body_distance_1_0_6b326105"
    }
    ::ikra::rt::entry! {
        collect Kernel_distance; () : () = () -> f32 as
        "ikra_kernel_Body_distance_1_0_6b326105_collect"
    }
    ::ikra::rt::reduced! {
        Kernel_distance by Sum = 0; () : () = () -> f32 as
        "ikra_kernel_Body_distance_1_0_6b326105_reduce0", "reduce0"
    }
};
///The constructor [`Body::spawn`]: its handle, and how executors call it.
const _: () = {
    ::ikra::rt::handle! {
        #[doc = "`fn spawn(id: u32, pos: [f32; 2]) -> Self`"] #[doc = ""] #[doc =
        r" Makes one."] pub const spawn : Constructor_spawn = "Body::spawn" for Body;
    }
    #[automatically_derived]
    impl ::ikra::rt::Construct<[f32; 2]> for Constructor_spawn {
        type Class = Body;
        #[inline(always)]
        fn construct(id: u32, arg0: [f32; 2]) -> Body {
            <Body>::__construct_spawn(id, arg0)
        }
    }
    ::ikra::rt::entry! {
        construct Constructor_spawn = "Body::spawn" at ":1:0" for Body; arg0 : [f32; 2] =
        (arg0 : [f32; 2]) as "ikra_kernel_Body_spawn_1_0_6b326105"
    }
};
#[cfg(not(doc))]
#[automatically_derived]
#[allow(dead_code, missing_docs, clippy::all, clippy::pedantic, clippy::nursery)]
impl Body
where
    for<'__a> Body: ::ikra::rt::mistakes::IsInWorld,
{
    pub fn follow(&self) {}
    pub fn attract(&self) {}
    pub fn distance(&self) {}
}
