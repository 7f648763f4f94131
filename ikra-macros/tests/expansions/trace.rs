const _: () = {
    type __Class0 = <[Body; {
        #[allow(unused_imports)]
        use ::ikra::rt::No as _;
        if !<::ikra::rt::Probe<Body>>::IS_CLASS {
            ::core::panic!(
                "`Body` is not a class: `class = …` names a struct under `#[soa_class]`"
            )
        }
        1
    }] as ::core::iter::IntoIterator>::Item;
    #[allow(clippy::all)]
    const __FIELD_0_0: ::ikra::trace::rt::FieldCode<
        __Class0,
        Cell<f32>,
        { ::ikra::trace::rt::field_named::<__Class0>("mass") },
    > = ::ikra::trace::rt::FieldCode::find();
    #[allow(clippy::all)]
    const __FIELD_0_1: ::ikra::trace::rt::FieldCode<
        __Class0,
        Option<Rc<PlainBody>>,
        { ::ikra::trace::rt::field_named::<__Class0>("next") },
    > = ::ikra::trace::rt::FieldCode::find();
    const __FIELD_0_2: ::ikra::trace::rt::Column<
        __Class0,
        { ::ikra::trace::rt::field_named::<__Class0>("time") },
    > = ::ikra::trace::rt::Column::NEW;
    #[automatically_derived]
    impl ::ikra::trace::Trace for PlainBody {
        type Class = __Class0;
    }
    #[automatically_derived]
    #[allow(unused_variables)]
    impl ::ikra::trace::TraceObject for PlainBody {
        type Link = ::ikra::trace::rt::Link<__Class0>;
        fn hold(
            __variant: ::core::primitive::usize,
            __object: ::ikra::trace::rt::NewObject<'_>,
        ) -> ::core::result::Result<
            ::ikra::trace::rt::UntypedLink,
            ::ikra::trace::Problem,
        > {
            __object
                .hold::<
                    Self,
                    __Class0,
                >(|__columns| {
                    __FIELD_0_0.add(__columns);
                    __FIELD_0_1.add(__columns);
                    __columns.add(__FIELD_0_2, false);
                })
        }
        fn link(
            __untyped: ::ikra::trace::rt::UntypedLink,
        ) -> ::core::result::Result<Self::Link, ::ikra::trace::Problem> {
            __untyped.typed()
        }
        fn trace<'__o>(
            &'__o self,
            __untyped: ::ikra::trace::rt::UntypedLink,
            __tracer: &mut ::ikra::trace::rt::Tracer<'__o, '_>,
        ) -> ::core::result::Result<(), ::ikra::trace::rt::At> {
            match self {
                Self { mass: __field_0, next: __field_1, time: __field_2, .. } => {
                    let __link = ::ikra::trace::rt::Tracer::link::<
                        __Class0,
                    >(__tracer, __untyped)?;
                    let __row: __Class0 = Body {
                        mass: __FIELD_0_0.row(__field_0, __tracer)?,
                        next: __FIELD_0_1.row(__field_1, __tracer)?,
                        time: seconds::trace(__field_2),
                        age: 0,
                    };
                    ::ikra::trace::rt::Tracer::put::<__Class0>(__tracer, __link, __row)
                }
            }
        }
        fn write<'__o>(
            &'__o self,
            __untyped: ::ikra::trace::rt::UntypedLink,
            __back: &mut ::ikra::trace::rt::Back<'__o, '_>,
        ) -> ::core::result::Result<(), ::ikra::trace::rt::At> {
            match self {
                Self { mass: __field_0, next: __field_1, time: __field_2, .. } => {
                    let __changed = ::ikra::trace::rt::Back::changes::<
                        __Class0,
                    >(__back, __untyped)?;
                    __FIELD_0_0.shared(__field_0, __changed, __back)?;
                    __FIELD_0_1.shared(__field_1, __changed, __back)?;
                    ::ikra::trace::rt::Back::refuse(__back, __changed, __FIELD_0_2)?;
                    ::core::result::Result::Ok(())
                }
            }
        }
        fn write_mut<'__o>(
            &'__o mut self,
            __untyped: ::ikra::trace::rt::UntypedLink,
            __back: &mut ::ikra::trace::rt::Back<'__o, '_>,
        ) -> ::core::result::Result<(), ::ikra::trace::rt::At> {
            match self {
                Self { mass: __field_0, next: __field_1, time: __field_2, .. } => {
                    let __changed = ::ikra::trace::rt::Back::changes::<
                        __Class0,
                    >(__back, __untyped)?;
                    __FIELD_0_0.exclusive(__field_0, __changed, __back)?;
                    __FIELD_0_1.exclusive(__field_1, __changed, __back)?;
                    if let ::core::option::Option::Some(__value) = ::ikra::trace::rt::Back::changed(
                        __back,
                        __changed,
                        __FIELD_0_2,
                    )? {
                        seconds::write_back(__field_2, __value);
                    }
                    ::core::result::Result::Ok(())
                }
            }
        }
    }
};
const _: () = {
    type __Trait = <[Actor; {
        #[allow(unused_imports)]
        use ::ikra::rt::No as _;
        if !<::ikra::rt::Probe<Actor>>::IS_DISPATCH {
            ::core::panic!(
                "`Actor` is not a trait under `#[soa_dispatch]`: `link = …` names one"
            )
        }
        1
    }] as ::core::iter::IntoIterator>::Item;
    const __VARIANT_0: ::ikra::trace::rt::VariantCode<__Trait, Rc<PlainCar>> = ::ikra::trace::rt::VariantCode::find();
    #[automatically_derived]
    impl ::ikra::trace::Refers<::ikra::trace::rt::AnyLink<__Trait>> for PlainActor {
        const OWNS: ::core::primitive::bool = false || __VARIANT_0.owns;
        const KEEPS: ::core::primitive::bool = true;
        fn refer_if_alive<'__o>(
            &'__o self,
            __tracer: &mut ::ikra::trace::rt::Tracer<'__o, '_>,
        ) -> ::core::result::Result<
            ::core::option::Option<::ikra::trace::rt::AnyLink<__Trait>>,
            ::ikra::trace::Problem,
        > {
            match self {
                Self::Car(__pointer) => __VARIANT_0.refer_if_alive(__pointer, __tracer),
            }
        }
        fn again(
            __link: ::ikra::trace::rt::AnyLink<__Trait>,
            __context: &::ikra::trace::rt::Context<'_>,
        ) -> ::core::result::Result<Self, ::ikra::trace::Problem> {
            ::ikra::trace::rt::only([
                __VARIANT_0.again(__link, __context).map(Self::Car),
            ])
        }
        fn like(
            &self,
            __link: ::ikra::trace::rt::AnyLink<__Trait>,
            __context: &::ikra::trace::rt::Context<'_>,
        ) -> ::core::result::Result<Self, ::ikra::trace::Problem> {
            match self {
                Self::Car(_) => __VARIANT_0.again(__link, __context).map(Self::Car),
            }
                .or_else(|_| Self::again(__link, __context))
        }
        fn target(
            &self,
            __context: &::ikra::trace::rt::Context<'_>,
        ) -> ::core::option::Option<::ikra::trace::rt::UntypedLink> {
            match self {
                Self::Car(__pointer) => __VARIANT_0.target(__pointer, __context),
            }
        }
        fn owned<'__o>(&'__o self, __back: &mut ::ikra::trace::rt::Back<'__o, '_>) {
            match self {
                Self::Car(__pointer) => __VARIANT_0.owned(__pointer, __back),
            }
        }
        fn owned_mut<'__o>(
            &'__o mut self,
            __back: &mut ::ikra::trace::rt::Back<'__o, '_>,
        ) {
            match self {
                Self::Car(__pointer) => __VARIANT_0.owned_mut(__pointer, __back),
            }
        }
    }
    #[automatically_derived]
    impl ::ikra::trace::Roots for PlainActor
    where
        for<'__r> Rc<PlainCar>: ::ikra::trace::Roots,
    {
        fn enter(
            &self,
            __tracer: &mut ::ikra::trace::rt::Tracer<'_, '_>,
        ) -> ::core::result::Result<(), ::ikra::trace::Problem> {
            match self {
                Self::Car(__pointer) => ::ikra::trace::Roots::enter(__pointer, __tracer),
            }
        }
    }
};
