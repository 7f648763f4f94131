//! Golden files of the macros' output, checked in for review: `tests/expansions`.
//!
//! `IKRA_EXPANSIONS=overwrite cargo test -p ikra-macros` rewrites the files.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

fn pretty(tokens: TokenStream) -> String {
    let text = tokens.to_string();
    match syn::parse2(tokens) {
        Ok(file) => prettyplease::unparse(&file),
        Err(error) => panic!("{error}\n{text}"),
    }
}

#[track_caller]
fn check(name: &str, tokens: TokenStream) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expansions").join(name);
    let made = pretty(tokens);
    if std::env::var("IKRA_EXPANSIONS").is_ok_and(|value| value == "overwrite") {
        std::fs::write(&path, &made).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(made == expected, "{} is out of date; IKRA_EXPANSIONS=overwrite writes it:\n{made}", path.display());
}

#[test]
fn class() {
    let made = crate::class::soa_class(
        quote!(layout = "tiles", tile = 128),
        quote! {
            /// A body.
            #[derive(Clone, Debug)]
            pub struct Body {
                /// Where it is.
                pub pos: [f32; 2],
                next: Option<Link<Body>>,
                #[atomic]
                pub hits: u32,
            }
        },
    );
    check("class.rs", made);
}

#[test]
fn methods() {
    let made = crate::methods::expand_methods(quote! {
        ("Body" pos numbers, next plain, hits atomic)
        impl Body {
            pub fn new() -> Self {
                Self { pos: [0.0; 2], next: None, hits: 0 }
            }
            /// Makes one.
            #[kernel]
            pub fn spawn(id: u32, pos: [f32; 2]) -> Self {
                Self { pos, ..Self::new() }
            }
            /// Moves.
            #[kernel(snapshot(pos))]
            pub fn follow(&mut self, leader: Ref<Body>, factor: f32) {
                self.pos[0] += factor * leader.distance();
                self.elsewhere();
            }
            #[kernel(pairs)]
            pub fn attract(&mut self, other: Ref<Body>) {
                other.hits().add(1);
            }
            #[kernel(reduce(Sum))]
            pub fn distance(&self) -> f32 {
                self.pos[0].hypot(self.pos[1])
            }
        }
    });
    check("methods.rs", made);
}

#[test]
fn world() {
    let made = crate::world::soa_world(
        TokenStream::new(),
        quote! {
            pub struct Sim {
                pub bodies: Objects<Body>,
                pub cells: Objects<Cell>,
            }
        },
    );
    check("world.rs", made);
}

#[test]
fn trace() {
    let made = crate::trace::derive_trace(quote! {
        #[trace(class = Body, rest(age = 0))]
        struct PlainBody {
            mass: Cell<f32>,
            next: Option<Rc<PlainBody>>,
            #[trace(with = seconds)]
            time: Duration,
            #[trace(skip)]
            name: String,
        }
    });
    let pointer = crate::trace::derive_trace(quote! {
        #[trace(link = Actor)]
        enum PlainActor {
            Car(Rc<PlainCar>),
        }
    });
    check("trace.rs", quote!(#made #pointer));
    let made = crate::trace::derive_trace(quote! {
        #[trace(link = Shape)]
        enum PlainShape {
            #[trace(class = Circle)]
            Circle { radius: f32 },
            #[trace(class = Rect, rest(age = 0))]
            Rect(#[trace(field = width)] f32, #[trace(with = seconds, field = time)] Duration, #[trace(skip)] String),
        }
    });
    check("trace_enum.rs", made);
}

/// Expansions stay small: code common to all classes is generic code in the runtime.
#[test]
fn size() {
    let fields = (0..10).map(|n| format_ident!("f{n}")).collect::<Vec<_>>();
    let class = crate::class::soa_class(TokenStream::new(), quote!(pub struct Body { #(pub #fields: f32),* }));
    let kernels = fields.iter().map(|field| {
        let name = format_ident!("grow_{field}");
        quote!(#[kernel] pub fn #name(&mut self, by: f32) { self.#field += by; })
    });
    let methods = crate::methods::expand_methods(quote!(("Body" #(#fields plain),*) impl Body { #(#kernels)* }));
    let lines = |tokens| pretty(tokens).lines().count();
    let (class, methods) = (lines(class), lines(methods));
    println!("a class of 10 fields: {class} lines; 10 kernels: {methods} lines");
    assert!(class <= 470 && methods <= 520, "{class} {methods}");
}

fn town() -> TokenStream {
    quote! {
        /// What moves.
        pub trait Actor {
            const WHEELS: u32 = 0;
            #[kernel]
            fn tick(&mut self, dt: f32);
            /// How fast it is.
            fn speed(&self) -> f32 { 1.0 }
            fn target(&self) -> Option<Ref<Actor>>;
        }
    }
}

#[test]
fn dispatch() {
    check("dispatch.rs", crate::dispatch::soa_dispatch(quote!(Car, model::Pedestrian), town()));
}

#[test]
fn implementor() {
    let item = town();
    let made = crate::dispatch::expand_dispatch(quote! {
        (::ikra; {} #item)
        impl Actor for Car {
            const WHEELS: u32 = 4;
            #[kernel(snapshot(pos))]
            fn tick(&mut self, dt: f32) { self.pos += dt; }
            fn target(&self) -> Option<Ref<Actor>> { None }
        }
    });
    check("implementor.rs", made);
}
