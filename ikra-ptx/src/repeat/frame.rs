//! The loop around the kernels.

use std::fmt::Write as _;

use super::meetings::{Meetings, Report};
use super::{Iteration, LAUNCH_PARAMETERS, OWN_PARAMETERS, head};
use crate::{Function, Item, Module, Opcode, Parameter, Type};

/// The barrier of the kernels. All threads of a real block meet at barrier 0.
pub(super) const BARRIER: i128 = 1;

/// The loop's own parameters.
const OWN: [(&str, Type); OWN_PARAMETERS] =
    [("going", Type::U64), ("report", Type::U64), ("most", Type::U64), ("arrived", Type::U64), ("apart", Type::U32)];

/// The register with the number of objects in a worklist.
pub(super) const LENGTH: &str = "%length";
/// The variable by which the threads of a block learn that number.
pub(super) const SHARED_LENGTH: &str = "length_of_list";

/// The names of a launch's first parameters.
pub(super) fn parameters_of(name: &str, number: usize) -> [String; LAUNCH_PARAMETERS] {
    ["blocks", "threads", "inverse"].map(|what| format!("{name}_{number}_{what}"))
}

/// The names of a launch's registers for the thread, the threads per block, the block, and the number of blocks.
pub(super) fn registers_of(number: usize) -> [String; 4] {
    [format!("%thread{number}"), format!("%threads{number}"), String::from("%block"), format!("%blocks{number}")]
}

/// The name of the label at the end of a virtual block.
pub(super) fn end_of(number: usize) -> String {
    format!("over{number}")
}

/// Blocks wait for each other. Before they go on, the first one executes `note`, and a thread of each reads the length of
/// `list`, a parameter, for the others. The number in the text makes the labels unique.
fn wait(number: &str, note: &str, list: Option<&str>) -> String {
    // Thousands of warps that read one address wait for each other.
    let (read, share) = list.map_or((String::new(), "\t@!%alone barrier.sync 0;\n".to_owned()), |list| {
        (
            format!("{}\tst.shared.u32 [{SHARED_LENGTH}], {LENGTH};\n", load(list)),
            format!("\tbarrier.sync 0;\n\tld.shared.u32 {LENGTH}, [{SHARED_LENGTH}];\n"),
        )
    });
    format!(
        "
	barrier.sync 0;
	@%follows bra known{number};
	@%alone bra met{number};
	add.s64 %awaited, %awaited, %share;
	red.release.gpu.global.add.u64 [%arrived], 1;
again{number}:
	ld.relaxed.gpu.global.u64 %seen, [%arrived];
	setp.lt.u64 %lacks, %seen, %awaited;
	@%lacks bra again{number};
	ld.acquire.gpu.global.u64 %seen, [%arrived];
met{number}:
	{note}
{read}
known{number}:
{share}
"
    )
}

/// Loads how many objects a list has.
fn load(list: &str) -> String {
    format!("\tld.param.u64 %list, [{list}];\n\tld.relaxed.gpu.global.u32 {LENGTH}, [%list];\n")
}

/// How many blocks of the launch have as many threads as a number says, rounded down: its warps, divided by those of a block
/// (see [`inverse`](super::inverse)).
fn of_launch(into: &str, threads: &str) -> String {
    format!(
        "
	shr.u32 {into}, {threads}, 5;
	add.s32 {into}, {into}, 1;
	mul.hi.u32 {into}, {into}, %inverse;
"
    )
}

const BEGIN: &str = "
	.reg .pred %alone;
	.reg .pred %follows;
	.reg .pred %notes;
	.reg .pred %lacks;
	.reg .pred %ends;
	.reg .pred %stays;
	.reg .pred %idle;
	.reg .pred %asks;
	.reg .b32 %own;
	.reg .b32 %all;
	.reg .b32 %thread;
	.reg .b32 %size;
	.reg .b32 %block;
	.reg .b32 %stride;
	.reg .b32 %group;
	.reg .b32 %groups;
	.reg .b32 %inverse;
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
	.reg .b64 %note;
	mov.u32 %own, %ctaid.x;
	mov.u32 %all, %nctaid.x;
	mov.u32 %thread, %tid.x;
	mov.u32 %size, %ntid.x;
	setp.eq.u32 %alone, %all, 1;
	setp.ne.u32 %follows, %thread, 0;
	setp.eq.u32 %notes, %own, 0;
	setp.eq.u32 %stays, %apart, 0;
	setp.ne.u64 %asks, %going, 0;
	mov.b32 %goes, 1;
	cvt.u64.u32 %share, %all;
	mov.b64 %awaited, 0;
	mov.b64 %ended, 0;
";

/// Begins an iteration, whose first launch has this number, or ends the loop. `emptied` is the parameter with the list that
/// it empties.
fn look(first: usize, emptied: Option<String>) -> String {
    // The first thread empties a list.
    let (length, empty) = emptied.map_or_else(Default::default, |later| {
        let empty = format!(
            "
	@%follows bra ready{first};
	@!%notes bra ready{first};
	ld.param.u64 %list, [{later}];
	add.s64 %number, %ended, 2;
	cvt.u32.u64 %goes, %number;
	st.relaxed.gpu.global.u32 [%list], 0;
	st.relaxed.gpu.global.u32 [%list+4], %goes;
ready{first}:
	mov.b32 %goes, 1;
"
        );
        (format!("\tmin.u32 %goes, %goes, {LENGTH};"), empty)
    });
    format!(
        "
look{first}:
	.pragma \"nounroll\";
	@%asks ld.global.u8 %goes, [%going];
{length}
	setp.eq.u32 %ends, %goes, 0;
	setp.ge.or.u64 %ends, %ended, %most, %ends;
	@%ends bra.uni end;
{empty}
	@%stays bra.uni launch{first};
"
    ) + &wait(&format!("_look{first}"), "", None)
}

/// A launch; the kernel takes the place of the block with `brkpt`. `after` is the report after it, if blocks then wait for each
/// other. `is_counted` says that there is a thread for each object of the worklist. `list` is that of the next iteration, if
/// the launch is the last one.
fn launch(
    name: &str,
    number: usize,
    (is_joint, is_counted): (bool, bool),
    after: Option<Report>,
    list: Option<&str>,
) -> String {
    let [blocks, threads, inverse] = parameters_of(name, number);
    let blocks = if is_counted {
        let all = format!("%blocks{number}");
        format!("sub.s32 {all}, %length, 1;{}\tadd.s32 {all}, {all}, 1;", of_launch(&all, &all))
    } else {
        format!("ld.param.u32 %blocks{number}, [{blocks}];")
    };
    let end = end_of(number);
    // The threads of a joint block are the first ones. Otherwise groups of as many threads have a virtual block each: the
    // groups of that number in all blocks come one after another, so that few virtual blocks are in different blocks.
    let (begin, meet) = if is_joint {
        (
            format!(
                "
	setp.ge.u32 %idle, %thread, %threads{number};
	mov.u32 %thread{number}, %thread;
	mov.u32 %block, %own;
	mov.u32 %stride, %all;
"
            ),
            "barrier.sync 0;",
        )
    } else {
        let (group, groups) = (of_launch("%group", "%thread"), of_launch("%groups", "%size"));
        (
            format!(
                "{group}{groups}
	setp.ge.u32 %idle, %group, %groups;
	@%idle bra done{number};
	mul.lo.s32 %thread{number}, %group, %threads{number};
	sub.s32 %thread{number}, %thread, %thread{number};
	mad.lo.s32 %block, %group, %all, %own;
	mul.lo.s32 %stride, %groups, %all;
"
            ),
            "",
        )
    };
    let next = match after {
        Some(report) => wait(&number.to_string(), &note(report), list),
        // A launch may use the same shared memory next.
        None => String::from(if is_joint { "\tbarrier.sync 0;\n" } else { "" }),
    };
    let skip = if is_joint { format!("@%idle bra {end};") } else { String::new() };
    format!(
        "
launch{number}:
	.reg .b32 %blocks{number};
	.reg .b32 %threads{number};
	.reg .b32 %thread{number};
	ld.param.u32 %threads{number}, [{threads}];
	ld.param.u32 %inverse, [{inverse}];
	{blocks}
{begin}
	setp.ge.u32 %ends, %block, %blocks{number};
	@%ends bra.uni done{number};
next{number}:
	.pragma \"nounroll\";
	{skip}
	bra.uni body{number};
body{number}:
	brkpt;
	bra.uni {end};
{end}:
	add.s32 %block, %block, %stride;
	setp.ge.u32 %ends, %block, %blocks{number};
	@%ends bra.uni done{number};
	{meet}
	bra.uni next{number};
done{number}:
{next}"
    )
}

/// Stores a report.
fn note(Report { ended, launch }: Report) -> String {
    format!(
        "
	add.s64 %note, %ended, {};
	shl.b64 %note, %note, 8;
	or.b64 %note, %note, {launch};
	@%notes st.relaxed.sys.global.u64 [%report], %note;
",
        u8::from(ended)
    )
}

/// The loop with a place for each kernel, and the parameters of the loop and of the launches of all iterations that
/// alternate.
pub(super) fn kernel(
    name: &str,
    Iteration { launches, has_list, alternating, .. }: &Iteration<'_>,
    joint: &[bool],
    meetings: &Meetings,
) -> Result<Function, String> {
    let mut text = String::from("(\n");
    let (has_list, alternating) = (*has_list, *alternating);
    let parameters = parameters(name, joint.len() * alternating, if has_list { alternating } else { 0 });
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
    if has_list {
        text += &format!(
            "
	.reg .b32 {LENGTH};
	.reg .b64 %list;
	.reg .b64 %number;
	.shared .align 4 .b32 {SHARED_LENGTH};
{}",
            load(&lists_of(name, 0)[0])
        );
    }
    if meetings.first > 0 {
        let begun = note(Report { ended: false, launch: meetings.first });
        text += &format!("\t@%follows bra begun;\n{begun}begun:\n");
    }
    for iteration in 0..alternating {
        let first = iteration * joint.len();
        let ([_, emptied], [list, _]) = (lists_of(name, iteration), lists_of(name, (iteration + 1) % alternating));
        text += &look(first, has_list.then_some(emptied));
        for (number, &is_joint) in joint.iter().enumerate() {
            let is_counted = launches[number].length.is_some();
            let list = (has_list && number + 1 == joint.len()).then_some(&*list);
            text += &launch(name, first + number, (is_joint, is_counted), meetings.after[number], list);
        }
        text += "\n\tadd.s64 %ended, %ended, 1;\n";
    }
    text += "\n\tbra.uni look0;\nend:\n";
    let ended = Report { ended: false, launch: 0 };
    if meetings.after.last().is_none_or(Option::is_none) {
        // The last launches are over, and no further one begins.
        text += &wait("_end", &note(ended), None);
    } else if meetings.first > 0 {
        text += &format!("\t@%follows bra noted;\n{}noted:\n", note(ended));
    }
    text += "\tret;\n}\n";
    let text = format!(".visible .entry {name}{text}");
    let parsed = Module::parse(&text).map_err(|error| format!("the loop is not understood: {error}"))?;
    let function =
        parsed.items.into_iter().find_map(|item| if let Item::Function(one) = item { Some(one) } else { None });
    function.map(|function| Function { body: function.body, parameters, ..head(name) }).ok_or(String::from("no loop"))
}

/// The names of the parameters with the lists of an iteration: its own, and the one that it empties.
fn lists_of(name: &str, iteration: usize) -> [String; 2] {
    ["now", "later"].map(|what| format!("{name}_{what}{iteration}"))
}

/// `lists` is the number of iterations that alternate between lists; 0 without a worklist.
fn parameters(name: &str, launches: usize, lists: usize) -> Vec<Parameter> {
    let own = OWN.iter().map(|(what, ty)| (format!("{name}_{what}"), *ty));
    let own = own.chain((0..lists).flat_map(|iteration| lists_of(name, iteration)).map(|name| (name, Type::U64)));
    let of_launches = (0..launches).flat_map(|number| parameters_of(name, number)).map(|name| (name, Type::U32));
    let parameter = |(name, ty)| Parameter { is_register: false, align: None, ty, pointer: None, name, len: None };
    own.chain(of_launches).map(parameter).collect()
}

/// The blocks in whose places the kernels come.
pub(super) fn places(kernel: &Function) -> Vec<usize> {
    let blocks = kernel.body.iter().flat_map(|body| body.blocks.iter().enumerate());
    let is_place = |block: &crate::Block| block.instructions.first().is_some_and(|one| one.opcode == Opcode::Brkpt);
    blocks.filter(|(_, block)| is_place(block)).map(|(n, _)| n).collect()
}
