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
    pub(crate) const __access_of_attract: ::ikra::rt::FieldAccess = ::ikra::rt::FieldAccess::new(
            0,
            0,
        )
        .atomics(const { &[::ikra::rt::AtomicUse::new("hits", 0, 4)] });
    #[doc(hidden)]
    pub(crate) const __access_of_distance: ::ikra::rt::FieldAccess = ::ikra::rt::FieldAccess::new(
        1,
        0,
    );
}
const _: () = {
    #[doc(hidden)]
    #[derive(Clone, Copy)]
    #[allow(unreachable_pub, missing_debug_implementations)]
    pub struct __Calls;
    #[automatically_derived]
    impl __Calls {
        #[allow(unreachable_pub)]
        pub const fn reach(self, reached: ::ikra::rt::Reached) -> ::ikra::rt::Reached {
            #[allow(non_upper_case_globals, dead_code)]
            trait __Unknown {
                const __access_of_elsewhere: ::ikra::rt::FieldAccess = ::ikra::rt::FieldAccess::WRITES_ALL
                    .because("`follow` calls `elsewhere`, which may be a trait's");
            }
            #[automatically_derived]
            impl __Unknown for Body {}
            if reached.contains("follow") {
                return reached;
            }
            let reached = reached.enter("follow", ::ikra::rt::FieldAccess::new(1, 1));
            let reached = <Body>::__access_of_elsewhere.reach(reached);
            reached
        }
    }
    #[automatically_derived]
    #[allow(non_upper_case_globals, dead_code)]
    impl Body {
        #[doc(hidden)]
        pub(crate) const __access_of_follow: __Calls = __Calls;
    }
};
impl<'__w, __P: ::ikra::Phase> BodyMut<'__w, __P> {
    /// Moves.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn follow(
        &mut self,
        leader: <Body as ::ikra::Class>::Ref<'__w, __P>,
        factor: f32,
    ) {
        self.pos[0] += factor * leader.distance();
        <BodyMut<'_, __P>>::elsewhere(self);
    }
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn attract(&mut self, other: <Body as ::ikra::Class>::Ref<'__w, __P>) {
        #[allow(unused_imports)]
        use ::ikra::rt::NotAtomic as _;
        other.hits().__valueless().fetch_add(1);
    }
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn distance(&self) -> f32 {
        self.pos[0].hypot(self.pos[1])
    }
}
#[automatically_derived]
#[allow(dead_code, missing_docs, clippy::too_many_arguments)]
impl<'__w, __P: ::ikra::Phase> BodyRef<'__w, __P> {
    #[inline(always)]
    #[track_caller]
    pub fn distance(&self) -> f32 {
        struct __Touched;
        impl ::ikra::rt::Touched for __Touched {
            const FIELDS: ::ikra::rt::FieldSet = <Body>::__access_of_distance
                .reach(::ikra::rt::Reached::NONE)
                .access
                .touches;
            const METHOD: &'static str = "distance";
            const BECAUSE: &'static str = <Body>::__access_of_distance
                .reach(::ikra::rt::Reached::NONE)
                .access
                .because;
        }
        ::ikra::rt::Handle::with_view(
            self.0,
            const { ::ikra::rt::AllRaceFree::<__P, Body, __Touched>::check() },
            |view| <BodyMut<'__w, __P>>::distance(view),
        )
    }
}
const _: () = {
    #[doc(hidden)]
    #[allow(non_camel_case_types, unreachable_pub)]
    pub struct Kernel_follow<__C = Body>(::core::marker::PhantomData<fn() -> __C>);
    #[automatically_derived]
    impl<__C> ::core::marker::Copy for Kernel_follow<__C> {}
    #[automatically_derived]
    impl<__C> ::core::clone::Clone for Kernel_follow<__C> {
        fn clone(&self) -> Self {
            *self
        }
    }
    #[automatically_derived]
    impl<__C> ::core::fmt::Debug for Kernel_follow<__C> {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str("Kernel_follow")
        }
    }
    const __REACHED: ::ikra::rt::Reached = <Body>::__access_of_follow
        .reach(::ikra::rt::Reached::NONE);
    const __ACCESS: ::ikra::rt::FieldAccess = __REACHED.access;
    const __SNAPSHOT: ::ikra::rt::FieldSet = ::ikra::rt::snapshot_with_arena::<
        Body,
    >(1, __ACCESS.writes);
    #[automatically_derived]
    unsafe impl ::ikra::Phase for Kernel_follow {
        const CLASS: ::ikra::rt::ClassId = <Body as ::ikra::Class>::ID;
        const NAME: &'static str = "Body::follow";
        const WRITES: ::ikra::rt::FieldSet = __ACCESS.writes.union(__SNAPSHOT);
        const SNAPSHOT: ::ikra::rt::FieldSet = __SNAPSHOT;
        const BECAUSE: &'static str = __ACCESS.because;
        const LINES: ::ikra::rt::Lines = ::ikra::rt::Lines::new(
            ::core::file!(),
            &[("distance", 1)],
        );
        const ATOMICS: &'static ::ikra::rt::AtomicUses = &__REACHED.atomics;
    }
    #[automatically_derived]
    unsafe impl ::ikra::rt::Method for Kernel_follow {
        type Class = Body;
        type Modes = (
            ::ikra::rt::ModeOf<{ __ACCESS.mode(0usize, true, __SNAPSHOT) }>,
            ::ikra::rt::ModeOf<{ __ACCESS.mode(1usize, true, __SNAPSHOT) }>,
            ::ikra::rt::ModeOf<{ __ACCESS.mode(2usize, true, __SNAPSHOT) }>,
        );
        const EXCLUSIVE: bool = true;
        const HEAVY: bool = false;
    }
    const __ENTRY: ::ikra::rt::Entry = {
        #[allow(unused_imports)]
        use ::ikra::rt::NoMeaning as _;
        let origin = ::ikra::rt::Origin::new(
            ::core::module_path!(),
            "Body::follow",
            ":1:0",
        );
        ::ikra::rt::Entry::new(
            origin,
            ::ikra::rt::kernel_fingerprint::<Kernel_follow>(),
            &[
                ::ikra::rt::Meaning::<::ikra::Link<Body>>::OF,
                ::ikra::rt::Meaning::<f32>::OF,
            ],
        )
    };
    #[cfg(not(target_arch = "nvptx64"))]
    #[automatically_derived]
    unsafe impl ::ikra::rt::OnDevice<(::ikra::Link<Body>, f32)> for Kernel_follow
    where
        for<'__v> ::ikra::Link<Body>: ::ikra::rt::DeviceArgument,
        for<'__v> f32: ::ikra::rt::DeviceArgument,
    {
        const ENTRY: &'static ::ikra::rt::Entry = &__ENTRY;
        type Arguments<'__v> = [::ikra::rt::Argument<'__v>; 2usize];
        fn arguments((arg0, arg1): &(::ikra::Link<Body>, f32)) -> Self::Arguments<'_> {
            [::ikra::rt::Argument::of(arg0), ::ikra::rt::Argument::of(arg1)]
        }
    }
    #[cfg(target_arch = "nvptx64")]
    const _: () = {
        /// # Safety
        ///
        /// Launched by the host for a world whose tables it has filled, with a list of `end` indices or none.
        #[unsafe(export_name = "ikra_kernel_Body_follow_1_0_6b326105")]
        unsafe extern "ptx-kernel" fn entry(
            first: u32,
            end: u32,
            list: *const u32,
            arg0: ::ikra::Link<Body>,
            arg1: f32,
        ) {
            ::ikra::rt::device::mark!("call", __ENTRY, ());
            unsafe {
                ::ikra::rt::device::execute::<
                    Kernel_follow,
                    (::ikra::Link<Body>, f32),
                >(first, end, list, (arg0, arg1))
            }
        }
    };
    #[cfg(not(target_arch = "nvptx64"))]
    #[allow(dead_code)]
    static __EXAMINED: fn() = ::ikra::rt::examine::<
        Kernel_follow,
        (::ikra::Link<Body>, f32),
    >;
    #[automatically_derived]
    impl ::ikra::rt::Kernel<(::ikra::Link<Body>, f32)> for Kernel_follow {
        type Output = ();
        #[inline(always)]
        fn call<'__w>(
            view: &mut BodyMut<'__w, Self>,
            (arg0, arg1): (::ikra::Link<Body>, f32),
        ) -> () {
            let arg0 = ::ikra::Object::resolve(&*view, arg0);
            <BodyMut<'__w, Self>>::follow(view, arg0, arg1)
        }
    }
    #[automatically_derived]
    #[allow(non_upper_case_globals, dead_code, missing_docs)]
    impl Body {
        /// Moves.
        pub const follow: Kernel_follow = Kernel_follow(::core::marker::PhantomData);
    }
};
const _: () = {
    #[doc(hidden)]
    #[allow(non_camel_case_types, unreachable_pub)]
    pub struct Kernel_attract<__C = Body>(::core::marker::PhantomData<fn() -> __C>);
    #[automatically_derived]
    impl<__C> ::core::marker::Copy for Kernel_attract<__C> {}
    #[automatically_derived]
    impl<__C> ::core::clone::Clone for Kernel_attract<__C> {
        fn clone(&self) -> Self {
            *self
        }
    }
    #[automatically_derived]
    impl<__C> ::core::fmt::Debug for Kernel_attract<__C> {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str("Kernel_attract")
        }
    }
    const __REACHED: ::ikra::rt::Reached = <Body>::__access_of_attract
        .reach(::ikra::rt::Reached::NONE);
    const __ACCESS: ::ikra::rt::FieldAccess = __REACHED.access;
    const __SNAPSHOT: ::ikra::rt::FieldSet = ::ikra::rt::snapshot_with_arena::<
        Body,
    >(0, __ACCESS.writes);
    #[automatically_derived]
    unsafe impl ::ikra::Phase for Kernel_attract {
        const CLASS: ::ikra::rt::ClassId = <Body as ::ikra::Class>::ID;
        const NAME: &'static str = "Body::attract";
        const WRITES: ::ikra::rt::FieldSet = __ACCESS.writes.union(__SNAPSHOT);
        const SNAPSHOT: ::ikra::rt::FieldSet = __SNAPSHOT;
        const LINES: ::ikra::rt::Lines = ::ikra::rt::Lines::new(
            ::core::file!(),
            &[("hits", 1)],
        );
        const ATOMICS: &'static ::ikra::rt::AtomicUses = &__REACHED.atomics;
        const GETS: &'static [&'static str] = &["fetch_add", "hits"];
    }
    #[automatically_derived]
    unsafe impl ::ikra::rt::Method for Kernel_attract {
        type Class = Body;
        type Modes = (
            ::ikra::rt::ModeOf<{ __ACCESS.mode(0usize, true, __SNAPSHOT) }>,
            ::ikra::rt::ModeOf<{ __ACCESS.mode(1usize, true, __SNAPSHOT) }>,
            ::ikra::rt::ModeOf<{ __ACCESS.mode(2usize, true, __SNAPSHOT) }>,
        );
        const EXCLUSIVE: bool = true;
        const HEAVY: bool = true;
    }
    const __ENTRY: ::ikra::rt::Entry = {
        #[allow(unused_imports)]
        use ::ikra::rt::NoMeaning as _;
        let origin = ::ikra::rt::Origin::new(
            ::core::module_path!(),
            "Body::attract",
            ":1:0",
        );
        ::ikra::rt::Entry::new(
            origin,
            ::ikra::rt::pairs_fingerprint::<Kernel_attract, ()>(),
            &[],
        )
    };
    #[cfg(not(target_arch = "nvptx64"))]
    #[automatically_derived]
    unsafe impl ::ikra::rt::OnDevice<()> for Kernel_attract {
        const ENTRY: &'static ::ikra::rt::Entry = &__ENTRY;
        type Arguments<'__v> = [::ikra::rt::Argument<'__v>; 0usize];
        fn arguments((): &()) -> Self::Arguments<'_> {
            []
        }
    }
    #[cfg(target_arch = "nvptx64")]
    const _: () = {
        /// # Safety
        ///
        /// Launched by the host for a world whose tables it has filled, with a list of `end` indices or none.
        #[unsafe(export_name = "ikra_kernel_Body_attract_1_0_6b326105")]
        unsafe extern "ptx-kernel" fn entry(first: u32, end: u32, list: *const u32) {
            ::ikra::rt::device::mark!("call", __ENTRY, ());
            unsafe {
                ::ikra::rt::device::execute_pairs::<
                    Kernel_attract,
                    (),
                >(first, end, list, ())
            }
        }
    };
    #[cfg(not(target_arch = "nvptx64"))]
    #[allow(dead_code)]
    static __EXAMINED: fn() = ::ikra::rt::examine_pairs::<Kernel_attract, ()>;
    #[automatically_derived]
    unsafe impl ::ikra::rt::PairKernel<()> for Kernel_attract {
        type Other = Body;
        #[inline(always)]
        fn call<'__w>(
            view: &mut BodyMut<'__w, Self>,
            other: <Body as ::ikra::Class>::Ref<'__w, Self>,
            (): (),
        ) {
            <BodyMut<'__w, Self>>::attract(view, other);
        }
    }
    #[automatically_derived]
    #[allow(non_upper_case_globals, dead_code, missing_docs)]
    impl Body {
        pub const attract: Kernel_attract = Kernel_attract(::core::marker::PhantomData);
    }
};
const _: () = {
    #[doc(hidden)]
    #[allow(non_camel_case_types, unreachable_pub)]
    pub struct Kernel_distance<__C = Body>(::core::marker::PhantomData<fn() -> __C>);
    #[automatically_derived]
    impl<__C> ::core::marker::Copy for Kernel_distance<__C> {}
    #[automatically_derived]
    impl<__C> ::core::clone::Clone for Kernel_distance<__C> {
        fn clone(&self) -> Self {
            *self
        }
    }
    #[automatically_derived]
    impl<__C> ::core::fmt::Debug for Kernel_distance<__C> {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str("Kernel_distance")
        }
    }
    const __REACHED: ::ikra::rt::Reached = <Body>::__access_of_distance
        .reach(::ikra::rt::Reached::NONE);
    const __ACCESS: ::ikra::rt::FieldAccess = __REACHED.access;
    const __SNAPSHOT: ::ikra::rt::FieldSet = ::ikra::rt::snapshot_with_arena::<
        Body,
    >(0, __ACCESS.writes);
    #[automatically_derived]
    unsafe impl ::ikra::Phase for Kernel_distance {
        const CLASS: ::ikra::rt::ClassId = <Body as ::ikra::Class>::ID;
        const NAME: &'static str = "Body::distance";
        const WRITES: ::ikra::rt::FieldSet = ::ikra::rt::FieldSet::EMPTY;
        const SNAPSHOT: ::ikra::rt::FieldSet = __SNAPSHOT;
        const ATOMICS: &'static ::ikra::rt::AtomicUses = &__REACHED.atomics;
    }
    #[automatically_derived]
    unsafe impl ::ikra::rt::Method for Kernel_distance {
        type Class = Body;
        type Modes = (
            ::ikra::rt::ModeOf<{ __ACCESS.mode(0usize, false, __SNAPSHOT) }>,
            ::ikra::rt::ModeOf<{ __ACCESS.mode(1usize, false, __SNAPSHOT) }>,
            ::ikra::rt::ModeOf<{ __ACCESS.mode(2usize, false, __SNAPSHOT) }>,
        );
        const EXCLUSIVE: bool = false;
        const HEAVY: bool = false;
    }
    const __ENTRY: ::ikra::rt::Entry = {
        #[allow(unused_imports)]
        use ::ikra::rt::NoMeaning as _;
        let origin = ::ikra::rt::Origin::new(
            ::core::module_path!(),
            "Body::distance",
            ":1:0",
        );
        ::ikra::rt::Entry::new(
            origin,
            ::ikra::rt::kernel_fingerprint::<Kernel_distance>(),
            &[],
        )
    };
    #[cfg(not(target_arch = "nvptx64"))]
    #[automatically_derived]
    unsafe impl ::ikra::rt::OnDevice<()> for Kernel_distance {
        const ENTRY: &'static ::ikra::rt::Entry = &__ENTRY;
        type Arguments<'__v> = [::ikra::rt::Argument<'__v>; 0usize];
        fn arguments((): &()) -> Self::Arguments<'_> {
            []
        }
    }
    #[cfg(target_arch = "nvptx64")]
    const _: () = {
        /// # Safety
        ///
        /// Launched by the host for a world whose tables it has filled, with a list of `end` indices or none.
        #[unsafe(export_name = "ikra_kernel_Body_distance_1_0_6b326105")]
        unsafe extern "ptx-kernel" fn entry(first: u32, end: u32, list: *const u32) {
            ::ikra::rt::device::mark!("call", __ENTRY, ());
            unsafe {
                ::ikra::rt::device::execute::<Kernel_distance, ()>(first, end, list, ())
            }
        }
        const _: () = {
            /// # Safety
            ///
            /// Launched by the host for a world whose tables it has filled, with a list of `end` indices or none, and
            /// with room for the results.
            #[unsafe(export_name = "ikra_kernel_Body_distance_1_0_6b326105_reduce0")]
            unsafe extern "ptx-kernel" fn reduce(
                first: u32,
                end: u32,
                list: *const u32,
                chunks: *mut <f32 as ::ikra::rt::Transfer>::Wire,
                all: *mut <f32 as ::ikra::rt::Transfer>::Wire,
                done: *mut u32,
            ) {
                ::ikra::rt::device::mark!(
                    "reduce0", __ENTRY, < f32 as ::ikra::rt::Transfer > ::Wire
                );
                let results = ::ikra::rt::device::Results {
                    chunks,
                    all,
                    done,
                };
                unsafe {
                    ::ikra::rt::device::reduce::<
                        Kernel_distance,
                        (),
                        Sum,
                    >(first, end, list, results, ())
                }
            }
        };
    };
    #[cfg(not(target_arch = "nvptx64"))]
    #[allow(dead_code)]
    static __EXAMINED: fn() = ::ikra::rt::examine::<Kernel_distance, ()>;
    #[automatically_derived]
    impl ::ikra::rt::Kernel<()> for Kernel_distance {
        type Output = f32;
        #[inline(always)]
        fn call<'__w>(view: &mut BodyMut<'__w, Self>, (): ()) -> f32 {
            <BodyMut<'__w, Self>>::distance(view)
        }
    }
    #[automatically_derived]
    unsafe impl ::ikra::rt::ReducedBy<Sum> for Kernel_distance {
        const NUMBER: usize = 0usize;
    }
    #[automatically_derived]
    #[allow(non_upper_case_globals, dead_code, missing_docs)]
    impl Body {
        pub const distance: Kernel_distance = Kernel_distance(
            ::core::marker::PhantomData,
        );
    }
};
const _: () = {
    #[doc(hidden)]
    #[allow(non_camel_case_types, unreachable_pub)]
    pub struct Constructor_spawn<__C = Body>(::core::marker::PhantomData<fn() -> __C>);
    #[automatically_derived]
    impl<__C> ::core::marker::Copy for Constructor_spawn<__C> {}
    #[automatically_derived]
    impl<__C> ::core::clone::Clone for Constructor_spawn<__C> {
        fn clone(&self) -> Self {
            *self
        }
    }
    #[automatically_derived]
    impl<__C> ::core::fmt::Debug for Constructor_spawn<__C> {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str("Constructor_spawn")
        }
    }
    const __ENTRY: ::ikra::rt::Entry = {
        #[allow(unused_imports)]
        use ::ikra::rt::NoMeaning as _;
        let origin = ::ikra::rt::Origin::new(
            ::core::module_path!(),
            "Body::spawn",
            ":1:0",
        );
        ::ikra::rt::Entry::new(
            origin,
            ::ikra::rt::class_fingerprint::<Body>(),
            &[::ikra::rt::Meaning::<[f32; 2]>::OF],
        )
    };
    #[cfg(not(target_arch = "nvptx64"))]
    #[automatically_derived]
    unsafe impl ::ikra::rt::OnDevice<[f32; 2]> for Constructor_spawn
    where
        for<'__v> [f32; 2]: ::ikra::rt::DeviceArgument,
    {
        const ENTRY: &'static ::ikra::rt::Entry = &__ENTRY;
        type Arguments<'__v> = [::ikra::rt::Argument<'__v>; 1usize];
        fn arguments(arg0: &[f32; 2]) -> Self::Arguments<'_> {
            [::ikra::rt::Argument::of(arg0)]
        }
    }
    #[cfg(target_arch = "nvptx64")]
    const _: () = {
        /// # Safety
        ///
        /// Launched by the host for a world whose tables it has filled, with a list of `end` indices or none.
        #[unsafe(export_name = "ikra_kernel_Body_spawn_1_0_6b326105")]
        unsafe extern "ptx-kernel" fn entry(
            first: u32,
            end: u32,
            list: *const u32,
            arg0: [f32; 2],
        ) {
            ::ikra::rt::device::mark!("call", __ENTRY, ());
            unsafe {
                ::ikra::rt::device::construct::<
                    Constructor_spawn,
                    [f32; 2],
                >(first, end, list, arg0)
            }
        }
    };
    #[automatically_derived]
    impl ::ikra::rt::Constructor<[f32; 2]> for Constructor_spawn {
        type Class = Body;
        #[inline(always)]
        fn construct(id: u32, arg0: [f32; 2]) -> Body {
            <Body>::__construct_spawn(id, arg0)
        }
    }
    #[automatically_derived]
    #[allow(non_upper_case_globals, dead_code, missing_docs)]
    impl Body {
        /// Makes one.
        pub const spawn: Constructor_spawn = Constructor_spawn(
            ::core::marker::PhantomData,
        );
    }
};
#[automatically_derived]
#[doc(hidden)]
#[allow(non_upper_case_globals, dead_code, missing_docs)]
impl Body {}
