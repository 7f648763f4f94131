//! PTX, the assembly language of NVIDIA's GPUs, as a program: parsed once, changed with the help of control flow,
//! definitions and uses, verified, and printed once.
//!
//! ```
//! use ikra_ptx::{Cfg, Module, Opcode, Uses};
//!
//! let mut module = Module::parse("
//! .version 6.3
//! .target sm_75
//! .address_size 64
//! .visible .entry scale(
//!     .param .u64 scale_param_0
//! )
//! {
//!     .reg .b64 %rd<3>;
//!     .reg .b32 %r<4>;
//!     ld.param.u64 %rd1, [scale_param_0];
//!     cvta.to.global.u64 %rd2, %rd1;
//!     ld.global.b32 %r1, [%rd2];
//!     mul.lo.s32 %r2, %r1, 3;
//!     st.global.b32 [%rd2], %r2;
//!     ret;
//! }
//! ")?;
//! let body = module.functions_mut().next().unwrap().body.as_mut().unwrap();
//! assert_eq!(Cfg::new(body).successors(0), []);
//! let product = body.register("%r2").unwrap();
//! let uses = Uses::new(body);
//! assert_eq!((uses.writes(product).len(), uses.reads(product).len()), (1, 1));
//! let at = uses.writes(product)[0];
//! *body.at_mut(at) = body.instruction("shl.b32 %r2, %r1, 1;")?;
//! assert_eq!(body.at(at).opcode, Opcode::Shl);
//! module.verify()?;
//! assert!(module.to_string().contains("shl.b32 \t%r2, %r1, 1;"));
//! # Ok::<(), ikra_ptx::Error>(())
//! ```
//!
//! # Supported PTX
//!
//! All that `rustc` and `nvcc` emit for scalar code up to PTX 8: arithmetic, memory, atomics, control flow with jump
//! tables, calls, barriers, votes and shuffles. Textures, surfaces, matrix instructions and asynchronous copies are not
//! supported. Anything unknown is an [`Error`] with its line: a word, a modifier or an operand is never guessed and
//! never dropped.
//!
//! # Differences from the text
//!
//! Scopes, `{ .reg .b64 a; … }`, are dissolved: their registers, labels and variables get unique names, so that a
//! function is a list of [`Block`]s. Parameters of calls are printed in a scope around their call, where the assembler
//! requires them. Comments are left out, except [annotations](Item::Annotation), and so are labels without uses.

#[cfg(feature = "alu")]
pub mod alu;
mod cfg;
mod error;
mod lexer;
mod modifier;
mod needed;
mod opcode;
mod parse;
mod print;
mod program;
pub mod repeat;
mod special;
#[cfg(feature = "specialize")]
pub mod specialize;
mod uses;
mod verify;

pub use cfg::{Cfg, Loop};
pub use error::{Error, Refused};
pub use modifier::{Class, Kind, Modifier, Type};
pub use opcode::Opcode;
pub use program::{
    Access, Base, Bits, Block, Body, Function, Guard, Instruction, Item, Label, Linkage, Location, Module, Operand,
    Parameter, Position, Prototype, Register, Table, Value, Variable,
};
pub use special::{Axis, Special};
pub use uses::Uses;

impl Module {
    /// Parses a text.
    ///
    /// # Errors
    ///
    /// If the text has something that is not understood; the error has the line.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::parse_with(text, &[])
    }

    /// Parses a text whose functions use these registers without declaring them, as inline assembly of compiled code
    /// may. A function gets the registers that it uses.
    ///
    /// ```
    /// use ikra_ptx::{Module, Type};
    ///
    /// let text = ".func mark() { mov.b32 %mark, 1; ret; }";
    /// assert!(Module::parse(text).is_err());
    /// let module = Module::parse_with(text, &[("%mark", Type::B32)])?;
    /// assert!(module.to_string().contains(".reg .b32 \t%mark;"));
    /// # Ok::<(), ikra_ptx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text has something that is not understood; the error has the line.
    pub fn parse_with(text: &str, undeclared: &[(&str, Type)]) -> Result<Self, Error> {
        parse::Parser::new(text, undeclared)?.module()
    }
}
