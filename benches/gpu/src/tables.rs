//! Kernels that read tables which seldom change: a filter, and a program for each pixel. Apart from the class, as it is.

use ikra::prelude::*;

/// A factor of a filter, and the neighbour that it is for.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Tap {
    pub dx: i32,
    pub dy: i32,
    pub weight: f32,
}

/// An instruction of a program with eight registers.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Instruction {
    /// 0 for a number, 1 for the mean, 2 for the smaller one, 3 for a difference, 4 for the larger one.
    pub operation: u32,
    pub a: u32,
    pub b: u32,
    pub to: u32,
    pub number: f32,
}

/// A pixel of a picture, row by row.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Pixel {
    pub light: f32,
    pub result: f32,
}

#[soa_methods]
impl Pixel {
    #[kernel]
    pub fn spawn(id: u32) -> Self {
        Self { light: (id.wrapping_mul(0x9e37_79b9) >> 8) as f32 / 16_777_216.0, result: 0.0 }
    }

    /// Sums the neighbours' light. Beyond the first and the last row it is dark, and columns go on in the next row.
    #[kernel]
    pub fn filter(&mut self, width: u32) {
        let pixels = self.all::<Pixel>();
        let at = self.link().index() as i32;
        let mut sum = 0.0;
        for tap in self.all::<Tap>() {
            let near = at + tap.dy() * width as i32 + tap.dx();
            sum += tap.weight() * pixels.get(near as u32 as usize).map_or(0.0, |pixel| pixel.light());
        }
        self.result = sum;
    }

    /// Executes the program; the light is in all registers at first, and the result in the last one.
    #[kernel]
    pub fn execute(&mut self) {
        let mut registers = [self.light; 8];
        for instruction in self.all::<Instruction>() {
            let (a, b) = (registers[instruction.a() as usize % 8], registers[instruction.b() as usize % 8]);
            registers[instruction.to() as usize % 8] = match instruction.operation() {
                0 => instruction.number(),
                1 => (a + b) * 0.5,
                2 => a.min(b),
                3 => a - b,
                _ => a.max(b),
            };
        }
        self.result = registers[7];
    }
}

#[soa_world]
pub struct Picture {
    pub taps: Objects<Tap>,
    pub instructions: Objects<Instruction>,
    pub pixels: Objects<Pixel>,
}
