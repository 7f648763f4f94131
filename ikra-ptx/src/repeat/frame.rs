//! The loop around the kernels.

use std::fmt::Write as _;

use super::{Launch, head};
use crate::{Function, Item, Module, Opcode, Parameter, Type};

/// The barrier of the kernels. All threads of a real block meet at barrier 0.
pub(super) const BARRIER: i128 = 1;

/// The loop's own parameters.
const OWN: [(&str, Type); Launch::OWN] =
    [("going", Type::U64), ("report", Type::U64), ("most", Type::U64), ("arrived", Type::U64), ("apart", Type::U32)];

/// The names of a launch's first parameters.
pub(super) fn parameters_of(name: &str, number: usize) -> [String; Launch::BEFORE] {
    ["blocks", "threads"].map(|what| format!("{name}_{number}_{what}"))
}

/// The names of a launch's registers for the block, the number of blocks, and threads per block.
pub(super) fn registers_of(number: usize) -> [String; 3] {
    [String::from("%block"), format!("%blocks{number}"), format!("%threads{number}")]
}

/// The name of the label at the end of a virtual block.
pub(super) fn end_of(number: usize) -> String {
    format!("over{number}")
}

/// Blocks wait for each other. The number in the text makes the labels unique.
fn wait(number: &str) -> String {
    format!(
        "
	bar.sync 0;
	@%alone bra.uni met{number};
	add.s64 %awaited, %awaited, %share;
	@%follows bra known{number};
	fence.acq_rel.gpu;
	red.relaxed.gpu.global.add.u64 [%arrived], 1;
again{number}:
	ld.relaxed.gpu.global.u64 %seen, [%arrived];
	setp.lt.u64 %lacks, %seen, %awaited;
	@%lacks bra again{number};
	fence.acq_rel.gpu;
known{number}:
	bar.sync 0;
met{number}:
"
    )
}

const BEGIN: &str = "
	.reg .pred %alone;
	.reg .pred %follows;
	.reg .pred %marks;
	.reg .pred %lacks;
	.reg .pred %ends;
	.reg .pred %stays;
	.reg .pred %idle;
	.reg .b32 %own;
	.reg .b32 %all;
	.reg .b32 %thread;
	.reg .b32 %last;
	.reg .b32 %block;
	.reg .b32 %goes;
	.reg .b32 %apart;
	.reg .b64 %going;
	.reg .b64 %report;
	.reg .b64 %most;
	.reg .b64 %arrived;
	.reg .b64 %share;
	.reg .b64 %awaited;
	.reg .b64 %seen;
	.reg .b64 %ended;
	.reg .b64 %mark;
	mov.u32 %own, %ctaid.x;
	mov.u32 %all, %nctaid.x;
	mov.u32 %thread, %tid.x;
	mov.u32 %last, %ntid.x;
	sub.s32 %last, %last, 1;
	setp.eq.u32 %alone, %all, 1;
	setp.ne.u32 %follows, %thread, 0;
	setp.eq.u32 %marks, %thread, %last;
	setp.eq.and.u32 %marks, %own, 0, %marks;
	setp.eq.u32 %stays, %apart, 0;
	cvt.u64.u32 %share, %all;
	mov.b64 %awaited, 0;
	mov.b64 %ended, 0;
look:
	.pragma \"nounroll\";
	ld.global.u8 %goes, [%going];
	setp.eq.u32 %ends, %goes, 0;
	setp.ge.or.u64 %ends, %ended, %most, %ends;
	@%ends bra.uni end;
	shl.b64 %mark, %ended, 8;
	@%stays bra.uni launch0;
";

/// A launch; the kernel takes the place of `brkpt`.
fn launch(name: &str, number: usize, shares: bool) -> String {
    let [blocks, threads] = parameters_of(name, number);
    let meet = if shares { "bar.sync 0;" } else { "" };
    let end = end_of(number);
    format!(
        "
launch{number}:
	@%marks st.relaxed.sys.global.u64 [%report], %mark;
	add.s64 %mark, %mark, 1;
	.reg .b32 %blocks{number};
	.reg .b32 %threads{number};
	ld.param.u32 %blocks{number}, [{blocks}];
	ld.param.u32 %threads{number}, [{threads}];
	mov.u32 %block, %own;
	setp.ge.u32 %ends, %block, %blocks{number};
	@%ends bra.uni done{number};
next{number}:
	.pragma \"nounroll\";
	setp.ge.u32 %idle, %thread, %threads{number};
	@%idle bra {end};
	brkpt;
{end}:
	add.s32 %block, %block, %all;
	setp.ge.u32 %ends, %block, %blocks{number};
	@%ends bra.uni done{number};
	{meet}
	bra.uni next{number};
done{number}:
{}",
        wait(&number.to_string())
    )
}

/// The loop with a place for each kernel, and the parameters of the loop and of launches.
pub(super) fn kernel(name: &str, launches: &[(&Function, bool)]) -> Result<Function, String> {
    let mut text = String::from("(\n");
    let parameters = parameters(name, launches.len());
    for (n, parameter) in parameters.iter().enumerate() {
        let _ = writeln!(text, "\t{parameter}{}", if n + 1 < parameters.len() { "," } else { "" });
    }
    text += ")\n{\n";
    let begin = BEGIN.replacen(
        "\tmov.u32 %own,",
        &OWN.iter()
            .map(|(what, ty)| format!("\tld.param{ty} %{what}, [{name}_{what}];\n"))
            .chain([String::from("\tmov.u32 %own,")])
            .collect::<String>(),
        1,
    );
    text += &begin;
    text += &wait("_look");
    for (number, (_, shares)) in launches.iter().enumerate() {
        text += &launch(name, number, *shares);
    }
    text += "
	add.s64 %ended, %ended, 1;
	bra.uni look;
end:
	shl.b64 %mark, %ended, 8;
	@%marks st.relaxed.sys.global.u64 [%report], %mark;
	ret;
}
";
    let text = format!(".visible .entry {name}{text}");
    let parsed = Module::parse(&text).map_err(|error| format!("the loop is not understood: {error}"))?;
    let function =
        parsed.items.into_iter().find_map(|item| if let Item::Function(one) = item { Some(one) } else { None });
    function.map(|function| Function { body: function.body, parameters, ..head(name) }).ok_or(String::from("no loop"))
}

fn parameters(name: &str, launches: usize) -> Vec<Parameter> {
    let own = OWN.iter().map(|(what, ty)| (format!("{name}_{what}"), *ty));
    let of_launches = (0..launches).flat_map(|number| parameters_of(name, number)).map(|name| (name, Type::U32));
    let parameter = |(name, ty)| Parameter { is_register: false, align: None, ty, pointer: None, name, len: None };
    own.chain(of_launches).map(parameter).collect()
}

/// The blocks in whose places the kernels come.
pub(super) fn places(kernel: &Function) -> Vec<usize> {
    let blocks = kernel.body.iter().flat_map(|body| body.blocks.iter().enumerate());
    let is_place = |block: &crate::Block| matches!(&block.instructions[..], [one] if one.opcode == Opcode::Brkpt);
    blocks.filter(|(_, block)| is_place(block)).map(|(n, _)| n).collect()
}
