const _: () = {
    type __Trait = <[Shape; {
        #[allow(unused_imports)]
        use ::ikra::rt::No as _;
        if !<::ikra::rt::Probe<Shape>>::IS_DISPATCH {
            ::core::panic!(
                "`Shape` is not a trait under `#[soa_dispatch]`: `link = …` names one"
            )
        }
        1
    }] as ::core::iter::IntoIterator>::Item;
    type __Class0 = <[Circle; {
        #[allow(unused_imports)]
        use ::ikra::rt::No as _;
        if !<::ikra::rt::Probe<Circle>>::IS_CLASS {
            ::core::panic!(
                "`Circle` is not a class: `class = …` names a struct under `#[soa_class]`"
            )
        }
        1
    }] as ::core::iter::IntoIterator>::Item;
    #[allow(clippy::all)]
    const __FIELD_0_0: ::ikra::trace::rt::FieldCode<
        __Class0,
        f32,
        { ::ikra::trace::rt::field_named::<__Class0>("radius") },
    > = ::ikra::trace::rt::FieldCode::find();
    type __Class1 = <[Rect; {
        #[allow(unused_imports)]
        use ::ikra::rt::No as _;
        if !<::ikra::rt::Probe<Rect>>::IS_CLASS {
            ::core::panic!(
                "`Rect` is not a class: `class = …` names a struct under `#[soa_class]`"
            )
        }
        1
    }] as ::core::iter::IntoIterator>::Item;
    #[allow(clippy::all)]
    const __FIELD_1_0: ::ikra::trace::rt::FieldCode<
        __Class1,
        f32,
        { ::ikra::trace::rt::field_named::<__Class1>("width") },
    > = ::ikra::trace::rt::FieldCode::find();
    const __FIELD_1_1: ::ikra::trace::rt::Column<
        __Class1,
        { ::ikra::trace::rt::field_named::<__Class1>("time") },
    > = ::ikra::trace::rt::Column::NEW;
    const _: () = {
        #[allow(unused_imports)]
        use ::ikra::trace::rt::Differ as _;
        if false || <::ikra::trace::rt::Two<__Class1, __Class0>>::SAME {
            ::core::panic!(
                "two variants become objects of this class: give each variant a class of its own"
            )
        }
    };
    #[automatically_derived]
    #[allow(unused_variables)]
    impl ::ikra::trace::TraceObject for PlainShape {
        type Link = ::ikra::trace::rt::AnyLink<__Trait>;
        const IS_ENUM: ::core::primitive::bool = true;
        fn variant(
            &self,
        ) -> ::core::result::Result<::core::primitive::usize, ::ikra::trace::Problem> {
            ::core::result::Result::Ok(
                match self {
                    Self::Circle { .. } => 0usize,
                    Self::Rect { .. } => 1usize,
                },
            )
        }
        fn hold(
            __variant: ::core::primitive::usize,
            __object: ::ikra::trace::rt::NewObject<'_>,
        ) -> ::core::result::Result<
            ::ikra::trace::rt::UntypedLink,
            ::ikra::trace::Problem,
        > {
            match __variant {
                0usize => {
                    __object
                        .hold::<
                            Self,
                            __Class0,
                        >(|__columns| {
                            __FIELD_0_0.add(__columns);
                        })
                }
                1usize => {
                    __object
                        .hold::<
                            Self,
                            __Class1,
                        >(|__columns| {
                            __FIELD_1_0.add(__columns);
                            __columns.add(__FIELD_1_1, false);
                        })
                }
                _ => ::core::result::Result::Err(::ikra::trace::Problem::OtherVariant),
            }
        }
        fn link(
            __untyped: ::ikra::trace::rt::UntypedLink,
        ) -> ::core::result::Result<Self::Link, ::ikra::trace::Problem> {
            if let ::core::option::Option::Some(__link) = ::ikra::trace::rt::UntypedLink::any::<
                __Class0,
                __Trait,
            >(__untyped) {
                return __link;
            }
            if let ::core::option::Option::Some(__link) = ::ikra::trace::rt::UntypedLink::any::<
                __Class1,
                __Trait,
            >(__untyped) {
                return __link;
            }
            ::core::result::Result::Err(::ikra::trace::Problem::OtherType)
        }
        fn trace<'__o>(
            &'__o self,
            __untyped: ::ikra::trace::rt::UntypedLink,
            __tracer: &mut ::ikra::trace::rt::Tracer<'__o, '_>,
        ) -> ::core::result::Result<(), ::ikra::trace::rt::At> {
            match self {
                Self::Circle { radius: __field_0, .. } => {
                    let __link = ::ikra::trace::rt::Tracer::link::<
                        __Class0,
                    >(__tracer, __untyped)?;
                    let __row: __Class0 = Circle {
                        radius: __FIELD_0_0.row(__field_0, __tracer)?,
                    };
                    ::ikra::trace::rt::Tracer::put::<__Class0>(__tracer, __link, __row)
                }
                Self::Rect { 0: __field_0, 1: __field_1, .. } => {
                    let __link = ::ikra::trace::rt::Tracer::link::<
                        __Class1,
                    >(__tracer, __untyped)?;
                    let __row: __Class1 = Rect {
                        width: __FIELD_1_0.row(__field_0, __tracer)?,
                        time: seconds::trace(__field_1),
                        age: 0,
                    };
                    ::ikra::trace::rt::Tracer::put::<__Class1>(__tracer, __link, __row)
                }
            }
        }
        fn write<'__o>(
            &'__o self,
            __untyped: ::ikra::trace::rt::UntypedLink,
            __back: &mut ::ikra::trace::rt::Back<'__o, '_>,
        ) -> ::core::result::Result<(), ::ikra::trace::rt::At> {
            match self {
                Self::Circle { radius: __field_0, .. } => {
                    let __changed = ::ikra::trace::rt::Back::changes::<
                        __Class0,
                    >(__back, __untyped)?;
                    __FIELD_0_0.shared(__field_0, __changed, __back)?;
                    ::core::result::Result::Ok(())
                }
                Self::Rect { 0: __field_0, 1: __field_1, .. } => {
                    let __changed = ::ikra::trace::rt::Back::changes::<
                        __Class1,
                    >(__back, __untyped)?;
                    __FIELD_1_0.shared(__field_0, __changed, __back)?;
                    ::ikra::trace::rt::Back::refuse(__back, __changed, __FIELD_1_1)?;
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
                Self::Circle { radius: __field_0, .. } => {
                    let __changed = ::ikra::trace::rt::Back::changes::<
                        __Class0,
                    >(__back, __untyped)?;
                    __FIELD_0_0.exclusive(__field_0, __changed, __back)?;
                    ::core::result::Result::Ok(())
                }
                Self::Rect { 0: __field_0, 1: __field_1, .. } => {
                    let __changed = ::ikra::trace::rt::Back::changes::<
                        __Class1,
                    >(__back, __untyped)?;
                    __FIELD_1_0.exclusive(__field_0, __changed, __back)?;
                    if let ::core::option::Option::Some(__value) = ::ikra::trace::rt::Back::changed(
                        __back,
                        __changed,
                        __FIELD_1_1,
                    )? {
                        seconds::write_back(__field_1, __value);
                    }
                    ::core::result::Result::Ok(())
                }
            }
        }
    }
};
