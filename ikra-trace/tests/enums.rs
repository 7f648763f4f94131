//! Enums whose variants hold data: each variant becomes an object of its own class.

#![allow(missing_docs, reason = "a test, not a library")]

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex};

use ikra::prelude::*;
use ikra::trace::{Problem, Trace, TraceAs, TraceError, TraceWorld};

#[derive(Clone, Copy, Debug, PartialEq, Trace, Value)]
#[repr(u8)]
#[trace(value)]
pub enum Kind {
    Plain,
    Glass,
    Metal,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Circle {
    pub radius: f32,
    pub kind: Kind,
    pub next: Option<ShapeLink>,
}
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Rect {
    pub width: f32,
    pub height: f32,
    pub area: f32,
    #[inline_array(1)]
    pub inside: InnerArray<ShapeLink>,
}
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    pub hits: u32,
}
#[soa_dispatch(Circle, Rect, Origin)]
pub trait Shape {
    #[kernel]
    fn grow(&mut self);
}
#[soa_methods]
impl Shape for Circle {
    fn grow(&mut self) {
        self.radius += 1.0;
        self.kind = if self.kind == Kind::Plain { Kind::Glass } else { Kind::Metal };
    }
}
#[soa_methods]
impl Shape for Rect {
    fn grow(&mut self) {
        self.width *= 2.0;
        self.height *= 3.0;
        self.area = self.width * self.height;
    }
}
#[soa_methods]
impl Shape for Origin {
    fn grow(&mut self) {
        self.hits += 1;
    }
}
#[soa_class(layout = "aos")]
pub struct Frame {
    pub shape: ShapeLink,
    pub maybe: Option<ShapeLink>,
    pub kinds: [Kind; 2],
    #[inline_array(1)]
    pub more: InnerArray<Kind>,
}
#[soa_world]
pub struct Picture {
    pub circles: Objects<Circle>,
    pub rects: Objects<Rect>,
    pub origins: Objects<Origin>,
    pub frames: Objects<Frame>,
}

/// Shapes in cells.
type Shared = Rc<RefCell<PlainShape>>;

#[derive(Debug, Trace)]
#[trace(link = Shape)]
enum PlainShape {
    #[trace(class = Circle)]
    Circle { radius: f32, kind: Kind, next: Option<Shared> },
    #[trace(class = Rect, rest(area = self.area()))]
    Rect(
        #[trace(field = width)] f32,
        #[trace(with = centimetres, field = height)] u32,
        #[trace(skip)] &'static str,
        #[trace(field = inside)] Vec<Shared>,
    ),
    #[trace(class = Origin, rest(hits = 0))]
    Origin,
}

impl PlainShape {
    fn area(&self) -> f32 {
        if let Self::Rect(width, height, ..) = self { width * centimetres::trace(height) } else { 0.0 }
    }
}

mod centimetres {
    pub(super) fn trace(height: &u32) -> f32 {
        *height as f32 / 100.0
    }
    pub(super) fn write_back(height: &mut u32, metres: f32) {
        *height = (metres * 100.0) as u32;
    }
}

#[derive(Trace)]
#[trace(class = Frame)]
struct PlainFrame {
    shape: RefCell<Shared>,
    maybe: RefCell<Weak<RefCell<PlainShape>>>,
    kinds: [Cell<Kind>; 2],
    more: RefCell<Vec<Kind>>,
}

fn shared(shape: PlainShape) -> Shared {
    Rc::new(RefCell::new(shape))
}

#[test]
fn each_variant_is_an_object_of_its_class() {
    let circle = shared(PlainShape::Circle { radius: 1.0, kind: Kind::Plain, next: None });
    let origin = shared(PlainShape::Origin);
    let rect = shared(PlainShape::Rect(2.0, 150, "kept", vec![circle.clone(), origin.clone()]));
    // A cycle.
    if let PlainShape::Circle { next, .. } = &mut *circle.borrow_mut() {
        *next = Some(rect.clone());
    }
    let frame = Rc::new(PlainFrame {
        shape: RefCell::new(rect.clone()),
        maybe: RefCell::default(),
        kinds: [Cell::new(Kind::Glass), Cell::new(Kind::Plain)],
        more: RefCell::new(vec![Kind::Metal]),
    });
    let counts = || [&circle, &origin, &rect].map(|shape| (Rc::strong_count(shape), Rc::weak_count(shape)));
    let before = counts();
    let mut picture = Picture::trace(&(&frame, [&circle, &origin])).unwrap();
    assert_eq!((picture.circles.len(), picture.rects.len(), picture.origins.len()), (1, 1, 1));
    assert_eq!(picture.rects.column(rect::height), [1.5]);
    assert_eq!(picture.rects.column(rect::area), [3.0]);
    assert_eq!(picture.write_back().unwrap(), 0);

    let links = [&circle, &origin, &rect].map(|shape| picture.link_to(shape).unwrap());
    assert!(matches!(links.map(ShapeLink::class), [ShapeIs::Circle(_), ShapeIs::Origin(_), ShapeIs::Rect(_)]));
    for (link, shape) in links.into_iter().zip([&circle, &origin, &rect]) {
        assert!(Rc::ptr_eq(&picture.object::<RefCell<PlainShape>>(link).unwrap(), shape));
        assert!(picture.object::<PlainFixed>(link).is_none());
    }
    picture.execute(Shape::grow, ());
    // The origin's number is in the class only.
    assert_eq!(picture.write_back().unwrap(), 2);
    assert!(matches!(&*circle.borrow(), PlainShape::Circle { radius: 2.0, kind: Kind::Glass, next: Some(_) }));
    assert!(matches!(&*rect.borrow(), PlainShape::Rect(4.0, 450, "kept", inside) if inside.len() == 2));
    assert_eq!(picture.origins.column(origin::hits), [1]);

    // Links become pointers to the enum, whatever their variant.
    let [c, o, r] = links;
    let link = picture.frames.links().next().unwrap();
    picture.set(link, frame::shape, o);
    picture.set(link, frame::maybe, Some(c));
    picture.set(link, frame::kinds, [Kind::Plain, Kind::Metal]);
    picture.frames.set_array(frame::more, link, &[Kind::Glass; 2]).unwrap();
    picture.rects.set_array(rect::inside, Link::from_id(1).unwrap(), &[r, o, c]).unwrap();
    assert_eq!(picture.write_back().unwrap(), 2);
    assert!(Rc::ptr_eq(&frame.shape.borrow(), &origin));
    assert!(Rc::ptr_eq(&frame.maybe.borrow().upgrade().unwrap(), &circle));
    assert_eq!(frame.kinds.each_ref().map(Cell::get), [Kind::Plain, Kind::Metal]);
    assert_eq!(*frame.more.borrow(), [Kind::Glass; 2]);
    if let PlainShape::Rect(.., inside) = &*rect.borrow() {
        assert!(inside.iter().zip([&rect, &origin, &circle]).all(|(one, other)| Rc::ptr_eq(one, other)));
    }
    picture.set(link, frame::shape, r);
    picture.set(link, frame::maybe, None);
    picture.rects.set_array(rect::inside, Link::from_id(1).unwrap(), &[c, o]).unwrap();
    picture.write_back().unwrap();
    drop(picture);
    assert_eq!(counts(), before);
    if let PlainShape::Circle { next, .. } = &mut *circle.borrow_mut() {
        *next = None;
    };
}

#[test]
fn a_variant_that_changes_is_an_error() {
    let shape = shared(PlainShape::Circle { radius: 1.0, kind: Kind::Plain, next: None });
    let other = shared(PlainShape::Circle { radius: 5.0, kind: Kind::Plain, next: None });
    let mut picture = Picture::trace(&[&other, &shape]).unwrap();
    let old = shape.replace(PlainShape::Origin);
    // No kernel has changed the object, so nobody misses it.
    assert_eq!(picture.write_back().unwrap(), 0);
    picture.execute(Shape::grow, ());
    let error = picture.write_back().unwrap_err();
    assert!(
        matches!(error, TraceError::Object { class: "Circle", field: None, id: 2, problem: Problem::OtherVariant }),
        "{error}"
    );
    let message = "object Circle#2 has become another variant, whose class is another one";
    assert!(error.to_string().starts_with(message), "{error}");
    assert!(matches!(*shape.borrow(), PlainShape::Origin));
    // Back in its variant it is written.
    shape.replace(old);
    assert_eq!(picture.write_back().unwrap(), 2);
    assert!(matches!(*shape.borrow(), PlainShape::Circle { radius: 2.0, .. }));
}

#[test]
fn a_variant_that_changes_while_it_is_traced() {
    #[derive(Trace)]
    #[trace(class = Frame, rest(kinds = [Kind::Plain; 2], more = InnerArray::new()))]
    struct Changes {
        shape: Shared,
        #[trace(with = change, field = maybe)]
        _first: Shared,
    }
    mod change {
        use super::{PlainShape, ShapeLink, Shared};
        pub(super) fn trace(shape: &Shared) -> Option<ShapeLink> {
            shape.replace(PlainShape::Origin);
            None
        }
        pub(super) fn write_back(_: &mut Shared, _: Option<ShapeLink>) {}
    }
    let shape = shared(PlainShape::Circle { radius: 1.0, kind: Kind::Plain, next: None });
    let changes = Rc::new(RefCell::new(Changes { shape: shape.clone(), _first: shape }));
    let error = Picture::trace(&changes).unwrap_err();
    assert!(matches!(error, TraceError::Object { class: "Circle", problem: Problem::OtherVariant, .. }), "{error}");
}

#[test]
fn enums_that_are_borrowed() {
    let shape = shared(PlainShape::Origin);
    let guard = shape.borrow_mut();
    let message = "refers to an object that is borrowed; end its borrows before `trace` and `write_back`";
    assert_eq!(Picture::trace(&shape).unwrap_err().to_string(), format!("a root {message}"));
    let rect = shared(PlainShape::Rect(1.0, 1, "", vec![shape.clone()]));
    assert_eq!(Picture::trace(&rect).unwrap_err().to_string(), format!("`Rect::inside` of Rect#1 {message}"));
    drop(guard);
    let mut picture = Picture::trace(&rect).unwrap();
    picture.execute(Shape::grow, ());
    let guard = rect.borrow();
    assert!(matches!(picture.write_back(), Err(TraceError::Object { id: 1, problem: Problem::Borrowed, .. })));
    drop(guard);
    assert_eq!(picture.write_back().unwrap(), 1);
}

#[derive(Trace)]
#[trace(link = Shape)]
enum PlainFixed {
    #[trace(class = Circle, rest(next = None))]
    Circle { radius: f32, kind: Cell<Kind> },
    #[trace(class = Origin)]
    Origin { hits: Cell<u32> },
}

#[test]
fn fields_without_cells() {
    let (circle, origin) = (
        Rc::new(PlainFixed::Circle { radius: 1.0, kind: Cell::new(Kind::Plain) }),
        Rc::new(PlainFixed::Origin { hits: Cell::new(7) }),
    );
    let mut picture = Picture::trace(&[&origin, &circle]).unwrap();
    picture.origins.column_mut(origin::hits)[0] = 9;
    picture.circles.column_mut(circle::kind)[0] = Kind::Metal;
    assert_eq!(picture.write_back().unwrap(), 2);
    assert!(matches!(&*origin, PlainFixed::Origin { hits } if hits.get() == 9));
    assert!(matches!(&*circle, PlainFixed::Circle { kind, .. } if kind.get() == Kind::Metal));
    picture.circles.column_mut(circle::radius)[0] = 2.0;
    let error = picture.write_back().unwrap_err();
    assert!(
        matches!(error, TraceError::Object { class: "Circle", field: Some("radius"), problem: Problem::Immutable, .. }),
        "{error}"
    );
}

/// Enums in boxes, in `Arc`s, and as trait objects.
mod owners {
    use super::*;

    #[derive(Trace)]
    #[trace(link = Shape)]
    #[allow(clippy::vec_box, reason = "a `Box` becomes a link")]
    pub(super) enum Boxed {
        #[trace(class = Circle, rest(kind = Kind::Plain))]
        Circle { radius: f32, next: Option<Box<Boxed>> },
        #[trace(class = Rect, rest(height = 1.0, area = 0.0))]
        Rect { width: f32, inside: Vec<Box<Boxed>> },
    }

    #[derive(Trace)]
    #[trace(link = Shape)]
    pub(super) enum OfThreads {
        #[trace(class = Circle, rest(kind = Kind::Plain))]
        Circle { radius: f32, next: Option<Arc<Mutex<OfThreads>>> },
        #[trace(class = Origin)]
        Origin { hits: u32 },
    }

    pub(super) trait Drawn: TraceAs<Shape> {}
    impl Drawn for RefCell<PlainShape> {}
    impl Drawn for PlainFixed {}
}

#[test]
fn a_million_enums_in_boxes() {
    use owners::Boxed;
    let chain = (0..1_000_000_u32).fold(None, |next, n| {
        Some(Box::new(if n % 2 == 0 {
            Boxed::Circle { radius: n as f32, next }
        } else {
            Boxed::Rect { width: n as f32, inside: next.into_iter().collect() }
        }))
    });
    let chain = Rc::new(RefCell::new(*chain.unwrap()));
    let mut picture = Picture::trace(&chain).unwrap();
    assert_eq!((picture.circles.len(), picture.rects.len()), (500_000, 500_000));
    picture.execute(Shape::grow, ());
    assert_eq!(picture.write_back().unwrap(), 1_000_000);
    // One box more is the only change.
    let circle = picture.circles.links().last().unwrap();
    picture.set(circle, circle::radius, 7.0);
    assert_eq!(picture.write_back().unwrap(), 1);
    let link = picture.rects.links().next().unwrap();
    picture.rects.set_array(rect::inside, link, &[]).unwrap();
    picture.rects.column_mut(rect::width)[1] = 8.0;
    drop(picture);
    let mut next = match &mut *chain.borrow_mut() {
        Boxed::Rect { width, inside } => {
            assert_eq!(*width, 2.0 * 999_999.0);
            inside.pop()
        }
        Boxed::Circle { .. } => panic!("the last is a rect"),
    };
    let mut expected = 999_998;
    while let Some(mut shape) = next {
        next = match &mut *shape {
            Boxed::Circle { radius, next } => {
                assert_eq!(*radius, if expected == 0 { 7.0 } else { expected as f32 + 1.0 });
                next.take()
            }
            Boxed::Rect { width, inside } => {
                assert_eq!(*width, 2.0 * expected as f32);
                inside.pop()
            }
        };
        expected -= 1;
    }
    assert_eq!(expected, -1);
}

#[test]
fn a_box_in_another_variant() {
    use owners::Boxed;
    let inner = || Some(Box::new(Boxed::Rect { width: 1.0, inside: Vec::new() }));
    let first = Rc::new(RefCell::new(Boxed::Circle { radius: 1.0, next: inner() }));
    let mut picture = Picture::trace(&first).unwrap();
    picture.rects.column_mut(rect::width)[0] = 5.0;
    // The owner has not changed, but its object has, and it is not there any more.
    let old = first.replace(Boxed::Rect { width: 0.0, inside: Vec::new() });
    let error = picture.write_back().unwrap_err();
    assert!(
        matches!(error, TraceError::Object { class: "Circle", id: 1, problem: Problem::OtherVariant, .. }),
        "{error}"
    );
    first.replace(old);
    assert_eq!(picture.write_back().unwrap(), 1);
    // A box whose own variant has changed.
    picture.rects.column_mut(rect::width)[0] = 6.0;
    if let Boxed::Circle { next: Some(next), .. } = &mut *first.borrow_mut() {
        assert!(matches!(**next, Boxed::Rect { width: 5.0, .. }));
        **next = Boxed::Circle { radius: 0.0, next: None };
    }
    let error = picture.write_back().unwrap_err();
    assert!(
        matches!(error, TraceError::Object { class: "Rect", id: 1, problem: Problem::OtherVariant, .. }),
        "{error}"
    );
    // A link to an object that has no owner any more.
    let circle = picture.circles.links().next().unwrap();
    picture.set(circle, circle::next, Some(circle.into()));
    assert!(matches!(picture.write_back(), Err(TraceError::Object { problem: Problem::Owned, .. })));
}

#[test]
fn a_million_enums_of_threads() {
    use owners::OfThreads;
    let first = Arc::new(Mutex::new(OfThreads::Origin { hits: 0 }));
    let mut last = Arc::clone(&first);
    for _ in 1..1_000_000 {
        last = Arc::new(Mutex::new(OfThreads::Circle { radius: 1.0, next: Some(last) }));
    }
    let mut picture = Picture::trace(&last).unwrap();
    assert_eq!((picture.circles.len(), picture.origins.len()), (999_999, 1));
    picture.execute(Shape::grow, ());
    assert_eq!(picture.write_back().unwrap(), 1_000_000);
    let (link, end) = (picture.circles.links().next().unwrap(), picture.origins.links().next().unwrap());
    picture.set(link, circle::next, Some(end.into()));
    assert_eq!(picture.write_back().unwrap(), 1);
    let OfThreads::Circle { next: Some(next), .. } = &*last.lock().unwrap() else { panic!("a circle") };
    assert!(Arc::ptr_eq(next, &first));
    assert!(matches!(*first.lock().unwrap(), OfThreads::Origin { hits: 1 }));
    // The trace holds the others, which are dropped one by one: no drop recurses.
    let mut circles: Vec<_> = picture.circles.links().collect();
    circles.truncate(1);
    assert_eq!(circles, [link]);
}

#[test]
fn locks_of_enums() {
    use owners::OfThreads;
    let shape = Arc::new(Mutex::new(OfThreads::Origin { hits: 0 }));
    let guard = shape.lock().unwrap();
    assert!(Picture::trace(&shape).unwrap_err().to_string().starts_with("a root refers to an object that is borrowed"));
    drop(guard);
    let poison = catch_unwind(AssertUnwindSafe(|| {
        let _guard = shape.lock();
        panic!("on purpose");
    }));
    assert!(poison.is_err());
    let error = Picture::trace(&shape).unwrap_err().to_string();
    assert!(error.starts_with("a root refers to an object that is behind a lock that a panic has poisoned"), "{error}");
}

#[test]
fn enums_as_trait_objects() {
    use owners::Drawn;
    let fixed = Rc::new(PlainFixed::Origin { hits: Cell::new(1) });
    let shapes: [Rc<dyn Drawn>; 3] = [shared(PlainShape::Origin), fixed.clone(), fixed.clone()];
    let mut picture = Picture::trace(&shapes).unwrap();
    assert_eq!(picture.origins.column(origin::hits), [0, 1]);
    picture.execute(Shape::grow, ());
    picture.write_back().unwrap();
    assert!(matches!(&*fixed, PlainFixed::Origin { hits } if hits.get() == 2));
}

#[test]
fn objects_without_bytes() {
    #[derive(Trace)]
    #[trace(class = Origin, rest(hits = 5))]
    struct Unit;
    #[derive(Trace)]
    #[trace(link = Shape)]
    enum Lone {
        #[trace(class = Origin, rest(hits = 6))]
        Variant,
    }
    #[repr(align(64))]
    #[derive(Trace)]
    #[trace(class = Origin, rest(hits = 7))]
    struct Wide {}
    assert_eq!(size_of::<(Unit, Lone, Wide)>(), 0);
    let units: Vec<_> = (0..100).map(|_| Rc::new(Unit)).collect();
    let lones: Vec<_> = (0..100).map(|_| Arc::new(Lone::Variant)).collect();
    let wides: Vec<_> = (0..100).map(|_| Rc::new(Wide {})).collect();
    // Each is found, and found once.
    let mut picture = Picture::trace(&(&units, &lones, &wides, (&lones, &wides, &units))).unwrap();
    let expected: Vec<_> = [5, 6, 7].into_iter().flat_map(|hits| [hits; 100]).collect();
    assert_eq!(picture.origins.column(origin::hits), expected);
    let links: Vec<_> = units.iter().map(|unit| picture.link_to(unit).unwrap()).collect();
    assert!(links.iter().enumerate().all(|(n, link)| link.index() == n));
    picture.execute(Shape::grow, ());
    picture.write_back().unwrap();
}

/// `Self` in types of fields.
#[test]
fn fields_of_the_type_itself() {
    trait Counted {
        type Number;
    }
    #[derive(Trace)]
    #[trace(link = Shape)]
    enum Tree {
        #[trace(class = Rect, rest(width = 1.0, area = 0.0))]
        Branch { height: Cell<f32>, inside: Vec<Rc<Self>> },
        #[trace(class = Origin)]
        Leaf { hits: Cell<<Self as Counted>::Number> },
    }
    impl Counted for Tree {
        type Number = u32;
    }
    let leaf = Rc::new(Tree::Leaf { hits: 3.into() });
    let tree = Rc::new(Tree::Branch { height: 2.0.into(), inside: vec![leaf.clone()] });
    let mut picture = Picture::trace(&tree).unwrap();
    picture.origins.column_mut(origin::hits).fill(4);
    picture.rects.column_mut(rect::height).fill(5.0);
    assert_eq!(picture.write_back().unwrap(), 2);
    assert!(matches!(&*leaf, Tree::Leaf { hits } if hits.get() == 4));
    assert!(matches!(&*tree, Tree::Branch { height, inside } if height.get() == 5.0 && inside.len() == 1));
}
