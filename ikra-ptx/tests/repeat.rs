//! Loops of kernels: what changes in a kernel, and what is refused. That they do the same is tested in the emulator.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra_ptx::{
    Module,
    repeat::{Iteration, LAUNCH_PARAMETERS, Launch, OWN_PARAMETERS, repeated, repeated_over},
};

const HEAD: &str = ".version 7.0\n.target sm_80\n.address_size 64\n";
const REGISTERS: &str = ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .b64 a;\n";

/// A kernel `k` with the parameters `out` and `n`.
fn kernel(body: &str) -> String {
    format!(".visible .entry k(.param .u64 out, .param .align 8 .b8 n[16])\n{{\n{REGISTERS}{body}\n}}\n")
}

fn made_of(text: &str, kernels: &[&str]) -> Result<Module, String> {
    let module = Module::parse(&format!("{HEAD}{text}")).unwrap_or_else(|error| panic!("{error}: {text}"));
    let made = repeated(&module, kernels, 1, "all", &|name| name == "aside").map_err(|refused| refused.reason)?.module;
    let printed = made.to_string();
    assert_eq!(Module::parse(&printed).unwrap().to_string(), printed);
    Ok(made)
}

/// The instructions of the only launch of a kernel with these instructions.
fn moved(body: &str) -> String {
    let text = made_of(&kernel(body), &["k"]).unwrap().to_string();
    let (start, end) = (text.find("bra.uni \tbody0;\nbody0:\n").unwrap() + 23, text.rfind("over0:\n").unwrap());
    text[start..end].lines().map(|line| line.trim().replace('\t', "")).collect::<Vec<_>>().join("\n")
}

fn refusal(text: &str) -> String {
    made_of(text, &["k"]).unwrap_err()
}

#[test]
fn ends_lead_to_the_end_of_the_virtual_block() {
    assert_eq!(
        moved("setp.eq.u32 %p1, %r1, 0;\n@%p1 ret;\nmov.b32 %r2, 1;\n@!%p1 exit;\nmov.b32 %r3, 2;\nret;"),
        "setp.eq.u32 %k0_p1, %k0_r1, 0;\n@%k0_p1 bra over0;\nmov.b32 %k0_r2, 1;\n@!%k0_p1 bra over0;\nmov.b32 %k0_r3, 2;\nbra over0;"
    );
    assert_eq!(moved("@%p1 ret;\ntrap;"), "@%k0_p1 bra over0;\ntrap;");
}

#[test]
fn the_launch_has_its_own_numbers() {
    assert_eq!(
        moved(
            "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %nctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n\
             mov.u32 %r5, %ctaid.y;\nmov.u32 %r6, %ntid.z;\nmov.u32 %r7, %laneid;\nret;"
        ),
        "mov.u32 %k0_r1, %block;\nmov.u32 %k0_r2, %blocks0;\nmov.u32 %k0_r3, %threads0;\nmov.u32 %k0_r4, %thread0;\n\
         mov.u32 %k0_r5, 0;\nmov.u32 %k0_r6, 1;\nmov.u32 %k0_r7, %laneid;\nbra over0;"
    );
}

#[test]
fn barriers_count_the_threads_of_the_launch() {
    assert_eq!(
        moved("bar.sync 0;\nbarrier.sync 0;\nbar.warp.sync -1;\nbar.red.popc.u32 %r1, 0, %p1;\nret;"),
        "bar.sync 1, %threads0;\nbarrier.sync 1, %threads0;\nbar.warp.sync -1;\n\
         bar.red.popc.u32 %k0_r1, 1, %threads0, %k0_p1;\nbra over0;"
    );
    for other in ["bar.sync 2;", "bar.sync 0, 64;", "bar.arrive 0, 64;", "bar.sync %r1;"] {
        let reason = refusal(&kernel(&format!("{other}\nret;")));
        assert!(reason.contains("`k` has a barrier that is not for all threads"), "{other}: {reason}");
    }
}

#[test]
fn nothing_relies_on_the_start_of_a_kernel() {
    assert_eq!(
        moved("griddepcontrol.wait;\nld.global.nc.u32 %r1, [%rd1];\nld.global.nc.v2.b64 {%rd2, %rd3}, [a];\nret;"),
        "ld.global.u32 %k0_r1, [%k0_rd1];\nld.global.v2.b64 {%k0_rd2, %k0_rd3}, [k0_a];\nbra over0;"
    );
    assert!(refusal(&kernel("ldu.global.u32 %r1, [%rd1];\nret;")).contains("`k` has `ldu`"));
    // In functions, too.
    let function = ".func f(.param .b64 x) { .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.b64 %rd1, [x]; \
                    ld.global.nc.u32 %r1, [%rd1]; st.global.u32 [%rd1+4], %r1; ret; }\n";
    let calls = kernel("{ .param .b64 x; st.param.b64 [x], %rd1; call f, (x); }\nret;");
    let text = made_of(&format!("{function}{calls}"), &["k"]).unwrap().to_string();
    assert!(text.contains(".func f") && text.contains("ld.global.u32 \t%r1") && !text.contains(".nc"), "{text}");
}

#[test]
fn each_launch_has_parameters_registers_and_variables_of_its_own() {
    let text = kernel(
        ".local .align 8 .b8 depot[8];\n.shared .u32 sum;\nld.param.u64 %rd1, [n+8];\nmov.u64 %rd2, depot;\n\
         st.shared.u32 [sum], %r1;\njumps: .branchtargets here, there;\nbrx.idx %r1, jumps;\nhere: mov.u64 %rd3, out;\n\
         there: ret;",
    );
    let made = made_of(&text, &["k", "k"]).unwrap();
    let kernel = made.function("all").unwrap();
    let names: Vec<&str> = kernel.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names[..OWN_PARAMETERS], ["all_going", "all_report", "all_most", "all_arrived", "all_apart"]);
    assert_eq!(names[5..10], ["all_0_blocks", "all_0_threads", "all_0_inverse", "all_0_0", "all_0_1"]);
    assert_eq!(names[10..], ["all_1_blocks", "all_1_threads", "all_1_inverse", "all_1_0", "all_1_1"]);
    assert_eq!((kernel.parameters[9].bytes(), kernel.parameters[9].align), (16, Some(8)));
    let text = made.to_string();
    for line in [
        ".local .align 8 .b8 all_k1_depot[8];",
        ".shared .u32 all_k0_sum;",
        "ld.param.u64 \t%k1_rd1, [all_1_1+8];",
        "mov.u64 \t%k1_rd2, all_k1_depot;",
        "st.shared.u32 \t[all_k0_sum], %k0_r1;",
        "k1_jumps: .branchtargets",
        "k1_there;",
        "mov.u64 \t%k1_rd3, all_1_0;",
        ".reg .b64 \t%k1_rd<4>;",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

/// Where virtual blocks share memory, all threads meet between two of them.
#[test]
fn virtual_blocks_do_not_share_memory() {
    let meets = |text: &str| {
        let text = made_of(text, &["k"]).unwrap().to_string();
        let end = text.split("over0:").nth(1).unwrap().split("done0:").next().unwrap().to_owned();
        end.contains("barrier.sync \t0;")
    };
    assert!(!meets(&kernel("ret;")));
    assert!(meets(&kernel(".shared .u32 sum;\nst.shared.u32 [sum], %r1;\nret;")));
    let dynamic = ".extern .shared .align 16 .b8 dynamic[];\n";
    assert!(meets(&format!("{dynamic}{}", kernel("mov.u64 %rd1, dynamic;\ncvta.shared.u64 %rd2, %rd1;\nret;"))));
    assert!(!meets(&format!("{dynamic}{}", kernel("ret;"))));
}

#[test]
fn what_a_loop_cannot_have_is_refused() {
    assert_eq!(made_of(&kernel("ret;"), &[]).unwrap_err(), "there are 0 launches, and 1 to 256 are possible");
    assert_eq!(made_of(&kernel("ret;"), &["k", "l"]).unwrap_err(), "there is no kernel `l`");
    let limited = kernel("ret;").replace(")\n{", ")\n.maxntid 128, 1, 1\n{");
    assert!(refusal(&limited).contains("`k` demands `.maxntid 128"));
    assert_eq!(refusal(&kernel("mov.u64 %rd1, %gridid;\nret;")), "`k` has `%gridid`");
    assert!(refusal(&format!("{}.global .u32 all;\n", kernel("ret;"))).contains("the name `all` is taken"));
    let many = vec!["k"; 150];
    let reason = made_of(&kernel("ret;"), &many).unwrap_err();
    assert!(reason.starts_with("the parameters take ") && reason.ends_with("4096 is the most"), "{reason}");
}

#[test]
fn functions_see_no_threads() {
    let function = |name: &str, body: &str| format!(".func {name}() {{ .reg .b32 %r<2>; {body} ret; }}\n");
    let calls = |name: &str| kernel(&format!("call {name}, ();\nret;"));
    let with = |name, body| format!("{}{}", function(name, body), calls(name));
    assert_eq!(refusal(&with("f", "mov.u32 %r1, %ctaid.x;")), "`f` has `%ctaid.x`");
    assert_eq!(refusal(&with("f", "bar.sync 0;")), "`f` has a barrier");
    assert_eq!(refusal(&with("aside", "bar.sync 0;")), "`aside` has a barrier");
    assert!(made_of(&with("aside", "mov.u32 %r1, %ctaid.x;"), &["k"]).is_ok());
    assert_eq!(refusal(&with("f", "mov.u32 %r1, %tid.x;")), "`f` has `%tid.x`");
    assert!(made_of(&with("f", "mov.u32 %r1, %laneid;"), &["k"]).is_ok());
}

/// A launch for a worklist has the list's length in place of a parameter, and as many virtual blocks as that needs.
#[test]
fn a_worklist_says_how_many_there_are() {
    let kernel = |body: &str| {
        let text = format!(
            "{HEAD}.visible .entry k(.param .u32 first, .param .u32 end, .param .u64 list)\n{{\n{REGISTERS}{body}\nret;\n}}\n"
        );
        Module::parse(&text).unwrap()
    };
    let over = |module: &Module, length: usize| {
        let launches = [Some(length), None].map(|length| Launch { kernel: "k", length, reach: None });
        let iteration = Iteration { launches: &launches, has_list: true, alternating: 3, test: None };
        repeated_over(module, &iteration, "all", &|_| false)
    };
    let module = kernel("ld.param.u32 %r1, [end];\nld.param.u32 %r2, [first];\nst.global.u32 [%rd1], %r1;");
    let made = over(&module, 1).unwrap().module;
    let parameters = &made.function("all").unwrap().parameters;
    // Two lists for each of three iterations.
    assert_eq!(parameters.len(), OWN_PARAMETERS + 3 * 2 + 3 * 2 * (LAUNCH_PARAMETERS + 3));
    let text = made.to_string();
    for number in 0..6 {
        let (is_over, ordinary) = (number % 2 == 0, format!("ld.param.u32 \t%k{number}_r1, [all_{number}_1];"));
        assert_eq!(text.contains(&ordinary), !is_over, "{text}");
        assert_eq!(text.contains(&format!("mov.b32 \t%k{number}_r1, %length;")), is_over, "{text}");
        assert_eq!(text.contains(&format!("sub.s32 \t%blocks{number}, %length, 1;")), is_over, "{text}");
    }
    // All threads before the first iteration, then a thread of each block for the others.
    assert_eq!(text.matches("ld.relaxed.gpu.global.u32 \t%length, [%list];").count(), 1 + 3);
    assert_eq!(text.matches("ld.shared.u32 \t%length, [length_of_list];").count(), 3);
    let taken = kernel("ld.param.u32 %r1, [end];\nld.global.u32 %r2, [length_of_list];").to_string();
    let taken = taken.replace(".visible", ".global .u32 length_of_list;\n.visible");
    for (module, length, reason) in [
        (&Module::parse(&taken).unwrap(), 1, "the name `length_of_list` is taken"),
        (&module, 2, "`k` takes no number of objects"),
        (&module, 7, "`k` takes no number of objects"),
        (&kernel("ld.param.u32 %r1, [end+0];\nmov.u64 %rd1, end;"), 1, "used otherwise than by a load"),
    ] {
        let refused = over(module, length).unwrap_err().reason;
        assert!(refused.contains(reason), "{refused}");
    }
}

/// Blocks wait between launches only where these may share memory, and at the end of the loop.
#[test]
fn blocks_wait_where_memory_may_be_shared() {
    let texts = [
        kernel("ret;"),
        kernel("@%p1 trap;\nret;").replace(" k(", " fails("),
        kernel(".shared .u32 sum;\nst.shared.u32 [sum], %r1;\nret;").replace(" k(", " shares("),
    ];
    let module = Module::parse(&format!("{HEAD}{}", texts.concat())).unwrap();
    let made = |launches: &[(&str, &[u32])]| {
        let launches: Vec<_> =
            launches.iter().map(|&(kernel, reach)| Launch { kernel, length: None, reach: Some(reach) }).collect();
        let iteration = Iteration { launches: &launches, has_list: false, alternating: 1, test: Some(&[0]) };
        let made = repeated_over(&module, &iteration, "all", &|_| false).unwrap();
        assert_eq!(Module::parse(&made.module.to_string()).unwrap().to_string(), made.module.to_string());
        made.module.to_string()
    };
    let meetings = |text: &str| {
        ["0", "1", "2", "_end"]
            .map(|number| text.contains(&format!("red.release.gpu.global.add.u64 \t[%arrived], 1;\nagain{number}:")))
    };
    let text = made(&[("k", &[1]), ("k", &[0, 1, 2]), ("k", &[2])]);
    assert_eq!(meetings(&text), [true, true, false, true], "{text}");
    let text = made(&[("k", &[1]), ("k", &[0, 1]), ("k", &[0, 2])]);
    assert_eq!(meetings(&text), [true, true, true, false], "{text}");
    // The loop's first report is of the launch that can fail.
    let text = made(&[("k", &[1]), ("fails", &[2]), ("k", &[1, 2])]);
    assert_eq!(meetings(&text), [false, true, true, false], "{text}");
    let (begin, _) = text.split_once("begun:").unwrap();
    assert!(begin.contains("or.b64 \t%note, %note, 1;"), "{text}");
    // Threads that have worked together meet before their memory is used again.
    let text = made(&[("shares", &[1]), ("shares", &[2]), ("k", &[1, 2])]);
    let (_, after) = text.split_once("done0:").unwrap();
    let (between, _) = after.split_once("ld.param.u32 \t%threads1").unwrap();
    assert_eq!(between.trim(), "barrier.sync \t0;", "{text}");
}
