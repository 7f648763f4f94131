const _: () = {
    type __Class = <[Body; {
        #[allow(unused_imports)]
        use ::ikra::rt::No as _;
        if !<::ikra::rt::Probe<Body>>::IS_CLASS {
            ::core::panic!(
                "`Body` is not a class: `class = …` names a struct under `#[soa_class]`"
            )
        }
        1
    }] as ::core::iter::IntoIterator>::Item;
    const FIELD_0: ::ikra::trace::rt::FieldCode<
        __Class,
        Cell<f32>,
        { ::ikra::trace::rt::field_named::<__Class>("mass") },
    > = ::ikra::trace::rt::FieldCode::find();
    const FIELD_1: ::ikra::trace::rt::FieldCode<
        __Class,
        Option<Rc<PlainBody>>,
        { ::ikra::trace::rt::field_named::<__Class>("next") },
    > = ::ikra::trace::rt::FieldCode::find();
    const FIELD_2: ::ikra::trace::rt::Column<
        __Class,
        { ::ikra::trace::rt::field_named::<__Class>("time") },
    > = ::ikra::trace::rt::Column::NEW;
    #[automatically_derived]
    #[allow(unused_variables)]
    impl ::ikra::trace::Trace for PlainBody {
        type Class = __Class;
        fn row<'__o>(
            &'__o self,
            __tracer: &mut ::ikra::trace::rt::Tracer<'__o, '_>,
        ) -> ::core::result::Result<__Class, ::ikra::trace::rt::At> {
            ::core::result::Result::Ok(Body {
                mass: FIELD_0.row(&self.mass, __tracer)?,
                next: FIELD_1.row(&self.next, __tracer)?,
                time: seconds::trace(&self.time),
                age: 0,
            })
        }
        fn write<'__o>(
            &'__o self,
            __link: ::ikra::trace::rt::Link<__Class>,
            __mask: ::core::primitive::u64,
            __back: &mut ::ikra::trace::rt::Back<'__o, '_>,
        ) -> ::core::result::Result<(), ::ikra::trace::rt::At> {
            FIELD_0.shared(&self.mass, (__link, __mask), __back)?;
            FIELD_1.shared(&self.next, (__link, __mask), __back)?;
            __back.refuse((__link, __mask), FIELD_2)?;
            ::core::result::Result::Ok(())
        }
        fn write_mut<'__o>(
            &'__o mut self,
            __link: ::ikra::trace::rt::Link<__Class>,
            __mask: ::core::primitive::u64,
            __back: &mut ::ikra::trace::rt::Back<'__o, '_>,
        ) -> ::core::result::Result<(), ::ikra::trace::rt::At> {
            FIELD_0.exclusive(&mut self.mass, (__link, __mask), __back)?;
            FIELD_1.exclusive(&mut self.next, (__link, __mask), __back)?;
            if let ::core::option::Option::Some(value) = __back
                .changed((__link, __mask), FIELD_2)?
            {
                seconds::write_back(&mut self.time, value);
            }
            ::core::result::Result::Ok(())
        }
        fn columns(__columns: &mut ::ikra::trace::rt::Columns<__Class>) {
            FIELD_0.add(__columns);
            FIELD_1.add(__columns);
            __columns.add(FIELD_2, false);
        }
    }
};
const _: () = {
    const VARIANT_0: ::ikra::trace::rt::VariantCode<Actor, Rc<PlainCar>> = ::ikra::trace::rt::VariantCode::find();
    #[automatically_derived]
    impl ::ikra::trace::Refers<::ikra::trace::rt::AnyLink<Actor>> for PlainActor {
        const OWNS: ::core::primitive::bool = false || VARIANT_0.owns;
        fn refer<'__o>(
            &'__o self,
            tracer: &mut ::ikra::trace::rt::Tracer<'__o, '_>,
        ) -> ::core::result::Result<
            ::ikra::trace::rt::AnyLink<Actor>,
            ::ikra::trace::Problem,
        > {
            match self {
                Self::Car(pointer) => VARIANT_0.refer(pointer, tracer),
            }
        }
        fn refer_if_alive<'__o>(
            &'__o self,
            tracer: &mut ::ikra::trace::rt::Tracer<'__o, '_>,
        ) -> ::core::result::Result<
            ::core::option::Option<::ikra::trace::rt::AnyLink<Actor>>,
            ::ikra::trace::Problem,
        > {
            match self {
                Self::Car(pointer) => VARIANT_0.refer_if_alive(pointer, tracer),
            }
        }
        fn again(
            link: ::ikra::trace::rt::AnyLink<Actor>,
            context: &::ikra::trace::rt::Context<'_>,
        ) -> ::core::result::Result<Self, ::ikra::trace::Problem> {
            if let ::core::result::Result::Ok(pointer) = VARIANT_0.again(link, context) {
                return ::core::result::Result::Ok(Self::Car(pointer));
            }
            ::core::result::Result::Err(::ikra::trace::Problem::OtherType)
        }
        fn owned<'__o>(
            &'__o self,
            link: &::ikra::trace::rt::AnyLink<Actor>,
            back: &mut ::ikra::trace::rt::Back<'__o, '_>,
        ) {
            match self {
                Self::Car(pointer) => VARIANT_0.owned(pointer, link, back),
            }
        }
        fn owned_mut<'__o>(
            &'__o mut self,
            link: &::ikra::trace::rt::AnyLink<Actor>,
            back: &mut ::ikra::trace::rt::Back<'__o, '_>,
        ) {
            match self {
                Self::Car(pointer) => VARIANT_0.owned_mut(pointer, link, back),
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
            tracer: &mut ::ikra::trace::rt::Tracer<'_, '_>,
        ) -> ::core::result::Result<(), ::ikra::trace::Problem> {
            match self {
                Self::Car(pointer) => ::ikra::trace::Roots::enter(pointer, tracer),
            }
        }
    }
};
