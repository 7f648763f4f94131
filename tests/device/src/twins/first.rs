use ikra::prelude::*;

#[soa_class]
#[derive(Clone, Debug)]
pub struct Twin {
    pub n: u32,
}
#[soa_methods]
impl Twin {
    #[kernel]
    pub fn go(&mut self, by: u32) {
        self.n += by;
    }
}
