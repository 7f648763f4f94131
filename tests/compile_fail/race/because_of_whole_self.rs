use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub x: f32,
    pub next: Option<Link<Cell>>,
}

#[soa_methods]
impl Cell {
    pub fn shown(&self) -> usize {
        format!("{self:?}").len()
    }
    fn hand_on(&mut self) {
        reset(self);
    }
    #[kernel]
    pub fn go(&mut self) {
        self.hand_on();
        let _ = self.next.map(|next| next.next());
    }
    #[kernel]
    pub fn show(&mut self) {
        self.x = self.next.map_or(0, |next| next.shown()) as f32;
    }
}

fn reset<P: ikra::Phase>(cell: &mut CellMut<'_, P>) {
    cell.x = 0.0;
}

fn main() {}
