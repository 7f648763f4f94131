use ikra::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Vec2 {
    pub x: f32,
    pub y: f32,
}

impl std::ops::Add for Vec2 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Cell {
    pub heat: f32,
    pub centre: Vec2,
}

#[soa_class]
pub struct Body {
    pub pos: Vec2,
    pub vel: Vec2,
    #[inline_array]
    pub path: [Vec2; 4],
    pub mass: f32,
    pub cell: Link<Cell>,
    pub next: Option<Link<Body>>,
    pub hits: u32,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn warm(&mut self, by: f32) {
        self.heat += by;
        self.centre.x += by;
    }
}

#[soa_methods]
impl Body {
    pub fn new(pos: Vec2, cell: Link<Cell>) -> Self {
        Self { pos, vel: pos, path: [pos; 4], mass: 1.0, cell, next: None, hits: 0 }
    }
    #[kernel]
    pub fn made(id: u32, cell: Link<Cell>) -> Self {
        Self { hits: id, ..Self::new(Vec2 { x: 0.0, y: 1.0 }, cell) }
    }
    #[kernel]
    pub fn step(&mut self, dt: f32) {
        self.pos = self.pos + self.vel;
        self.pos.x += dt * self.cell.heat();
        self.path.set(0, self.pos);
        self.remember();
    }
    fn remember(&mut self) {
        self.hits += 1;
        self.mass += self.energy();
    }
    #[kernel(pairs)]
    pub fn attract(&mut self, other: Ref<Body>, factor: f32) {
        self.vel.y += other.pos().x * factor;
    }
    #[kernel(reduce(Sum))]
    pub fn energy(&self) -> f32 {
        self.mass * self.vel.x
    }
    #[kernel(snapshot(mass))]
    pub fn visit(&mut self, other: Ref<Body>) {
        self.mass = self.next.map_or(0.0, |next| next.energy()) + other.vel().y;
    }
}

#[soa_world]
pub struct Sim {
    pub cells: Objects<Cell>,
    pub bodies: Objects<Body>,
}

fn report(sim: &mut Sim) -> f32 {
    sim.execute_and_reduce(Body::energy, (), Sum)
}

fn main() -> Result<(), ikra::Error> {
    let mut sim = Sim::new();
    let cell = sim.cells.push(Cell { heat: 1.0, centre: Vec2 { x: 0.0, y: 0.0 } })?;
    let body = sim.bodies.push(Body::new(Vec2 { x: 0.0, y: 0.0 }, cell))?;
    sim.construct(10, Body::made, cell)?;
    sim.execute(Cell::warm, 2.0);
    sim.execute(Body::step, 0.1);
    sim.execute(Body::visit, body);
    sim.execute_pairs(Body::attract, 0.5);
    sim.get_mut(body).pos.x = 2.0;
    println!("{} {} {:?}", sim.get(body).pos().x, report(&mut sim), sim.bodies.column(body::mass));
    Ok(())
}
