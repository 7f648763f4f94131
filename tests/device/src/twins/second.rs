use ikra::prelude::*;

#[soa_class]
#[derive(Clone, Debug)]
pub struct Twin {
    pub n: f64,
}
#[soa_methods]
impl Twin {
    #[kernel]
    pub fn go(&mut self, by: u32) {
        self.n += 0.5 * f64::from(by);
    }
}
