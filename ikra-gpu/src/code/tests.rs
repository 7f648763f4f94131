//! Device code as text, compared with the host's definitions.

use super::read::parameter_bytes;
use super::*;
use ikra_core::class::{ColumnInfo, FieldInfo};
use ikra_core::fingerprint::field_fingerprint;
use ikra_core::origin::Origin;

const PLACE: &str = "game/src/model.rs:3:11";
const FIELDS: &[FieldInfo] = &[FieldInfo {
    name: "pos",
    type_name: "f32",
    atomic: false,
    number: None,
    array: None,
    columns: &[ColumnInfo::of::<f32>()],
    links_to: &[],
    holds_links_to: &[],
    empties: true,
    cascades: false,
}];
const ORIGIN: Origin = Origin::new("ikra_device_0::source::model", "Body", PLACE);
const ENTRY: Entry = Entry { origin: Origin::new("ikra_device_0::source::model", "Body::go", PLACE), fingerprint: 7 };

fn text() -> String {
    format!(
        "//
.visible .const .align 8 .b64 ikra_class_Body_1[5];
//ikra:class {} ikra_class_Body_1 {} 9 {PLACE}
//ikra:field {}
.visible .entry ikra_kernel_go(
	.param .u32 go_param_0,
	.param .u64 .ptr .align 1 go_param_1,
	.param .b8 go_param_2,
	.param .align 8 .b8 go_param_3[24]
)
{{
	// begin inline asm
	//ikra:entry {} call 7 0 1
	// end inline asm
	ret;
}}
.visible .entry ikra_copy(
	.param .u64 ikra_copy_param_0
)
{{
	ret;
}}
",
        ORIGIN.key(),
        ORIGIN.name_key(),
        field_fingerprint(&FIELDS[0]),
        ENTRY.origin.key()
    )
}

/// Device code with these texts, as if packages contained them.
fn codes(texts: &[(&'static str, Option<String>)]) -> Codes {
    let code = |(package, text): &(&'static str, Option<String>)| {
        let text = text.clone().map(|text| &*text.leak());
        // SAFETY: the tests never run it.
        unsafe { DeviceCode::new(package, text) }
    };
    Codes::new(texts.iter().map(code).collect::<Vec<_>>().leak(), "Sim").unwrap()
}

fn host(module: &'static str) -> Entry {
    Entry { origin: Origin::new(module, "Body::go", PLACE), fingerprint: 7 }
}

#[test]
fn entries_are_found_with_their_parameters() {
    let code = codes(&[("game", Some(text()))]);
    let (small, large) = (3_u8, [1_u64; 3]);
    let arguments = [Argument::of(&small), Argument::of(&[0_u32; 0]), Argument::of(&large)];
    let shape = Shape { own: &[4, 8], result: WireType::NONE };
    let find = |entry: &Entry, arguments: &[Argument<'_>]| {
        code.entry(entry, Kind::Call, shape, arguments).map(|(_, compiled)| compiled.symbol.clone())
    };
    assert_eq!(find(&host("game::model"), &arguments).unwrap(), "ikra_kernel_go");
    let error = find(&host("game::model"), &arguments[1..]).unwrap_err();
    assert!(error.to_string().contains("arguments of 24 bytes on the host and arguments of 1, 24 bytes in"), "{error}");
    let error = find(&Entry { fingerprint: 8, ..host("game::model") }, &arguments).unwrap_err();
    assert!(matches!(error, GpuError::DeviceCodeDiffers { .. }), "{error}");
    let elsewhere = Entry { origin: Origin::new("game::model", "Body::stop", PLACE), fingerprint: 7 };
    assert!(
        matches!(find(&elsewhere, &arguments), Err(GpuError::NoSuchKernel { kernel, .. }) if kernel == "Body::stop")
    );
    let result = code.entry(&host("game"), Kind::Reduce(0), shape, &arguments);
    assert!(matches!(result, Err(GpuError::NoSuchKernel { .. })));
    let result = code.entry(
        &host("game"),
        Kind::Call,
        Shape { result: WireType { size: 4, align: 4, meaning: 0 }, ..shape },
        &arguments,
    );
    assert!(result.unwrap_err().to_string().contains("returns 4 bytes on the host and 0"));
}

#[test]
fn classes_are_compared() {
    let code = codes(&[("game", Some(text()))]);
    let class = |module, name, place, fingerprint, fields| Signature {
        origin: Origin::new(module, name, place),
        fingerprint,
        fields,
    };
    let table = |class: Signature| code.tables(&[class]).map(|mut found| found.remove(0).remove(0));
    assert_eq!(table(class("game::model", "Body", PLACE, 9, FIELDS)).unwrap().as_deref(), Some("ikra_class_Body_1"));
    assert_eq!(table(class("game::model", "Other", PLACE, 9, FIELDS)).unwrap(), None, "the host's alone");
    let twins = [
        class("game::model", "Body", PLACE, 9, FIELDS),
        class("game::host", "Body", "game/src/host.rs:3:11", 9, FIELDS),
    ];
    assert_eq!(code.tables(&twins).unwrap(), [[Some(String::from("ikra_class_Body_1"))], [None]], "twins in one world");
    let differs = |class| table(class).unwrap_err().to_string();
    let text = differs(class("game::model", "Body", "game/src/model.rs:9:1", 9, FIELDS));
    assert!(text.contains("model.rs:9:1") && text.contains(PLACE), "{text}");
    const DOUBLE: &[FieldInfo] = &[FieldInfo { columns: &[ColumnInfo::of::<f64>()], ..FIELDS[0] }];
    let text = differs(class("game::model", "Body", PLACE, 1, DOUBLE));
    assert!(text.contains("class Body: field `pos` takes 8 bytes on the host and 4 in the device code"), "{text}");
    let text = differs(class("game::model", "Body", PLACE, 1, FIELDS));
    assert!(text.contains("layout, capacity"), "{text}");
}

#[test]
fn several_packages_have_code() {
    let other = "//ikra:class 1 ikra_class_Other_1 2 3 shapes/src/model.rs:1:1\n//ikra:stack 4096\n";
    let shape = Shape { own: &[4, 8, 1, 24], result: WireType::NONE };
    let find = |codes: &Codes| {
        codes
            .entry(&host("game::model"), Kind::Call, shape, &[])
            .map(|(module, compiled)| (module, compiled.symbol.clone()))
    };
    let both = codes(&[("app", None), ("shapes", Some(other.to_owned())), ("game", Some(text()))]);
    assert_eq!((both.texts().count(), both.stack()), (2, Some(4096)));
    assert_eq!(find(&both).unwrap(), (1, String::from("ikra_kernel_go")));
    let class = |module, place, fingerprint| Signature {
        origin: Origin::new(module, "Body", place),
        fingerprint,
        fields: FIELDS,
    };
    assert!(both.has_table(1, "ikra_class_Body_1") && !both.has_table(0, "ikra_class_Other_1"));
    let here = class("game::model", PLACE, 9);
    let symbol = || Some(String::from("ikra_class_Body_1"));
    assert_eq!(both.tables(&[here]).unwrap(), [[None, symbol()]]);
    // The first module that has the kernel is used, and all modules that have the class are compared.
    let second = text().replace("_go", "_second");
    let twice = codes(&[("game", Some(text())), ("app", Some(second.clone())), ("again", Some(text()))]);
    assert_eq!(twice.texts().count(), 2, "each text once");
    assert_eq!(find(&twice).unwrap(), (0, String::from("ikra_kernel_go")));
    assert_eq!(twice.tables(&[class("game::model", PLACE, 9)]).unwrap(), [[symbol(), symbol()]]);
    let differs = codes(&[("game", Some(text())), ("app", Some(second.replace(" 9 game", " 8 game")))]);
    let error = differs.tables(&[class("game::model", PLACE, 9)]).unwrap_err();
    assert!(matches!(error, GpuError::DeviceCodeDiffers { .. }), "{error}");
    // A class of another package may have the same name.
    assert_eq!(both.tables(&[class("app", "app/src/main.rs:5:1", 7)]).unwrap(), [[None, None]]);
    // A class and a kernel that no module has.
    let error = codes(&[("app", None), ("shapes", Some(other.to_owned()))]);
    let error = find(&error).unwrap_err().to_string();
    assert!(
        error.contains("device code of `app` (which was compiled without), `shapes` has no kernel `Body::go`"),
        "{error}"
    );
    assert!(matches!(Codes::new(&[], "Sim"), Err(GpuError::NoDeviceCode { world: "Sim" })));
    // SAFETY: the tests never run it.
    let nonsense = Codes::new(vec![unsafe { DeviceCode::new("old", Some("nonsense")) }].leak(), "Sim");
    assert!(matches!(nonsense, Err(GpuError::DeviceCodeRejected { log }) if log.contains("`old`")));
}

#[test]
fn entries_say_which_words_they_take() {
    let takes = |words: &str| {
        text()
            .replace("go_param_3[24]\n", "go_param_3[24],\n\t.param .align 8 .b8 go_words[24]\n")
            .replace("{\n\t// begin", &format!("{{\n\t//ikra:takes {words}\n\t// begin"))
    };
    let shape = Shape { own: &[4, 8, 1, 24], result: WireType::NONE };
    let find = |text| {
        let code = codes(&[("game", Some(text))]);
        let found = code.entry(&host("game::model"), Kind::Call, shape, &[]);
        found.map(|(_, compiled)| (compiled.words.clone(), compiled.reads_tables))
    };
    let words = vec![(String::from("ikra_class_A"), vec![0, 2]), (String::from("ikra_class_B"), vec![1])];
    assert_eq!(find(takes("all ikra_class_A 0 2 ikra_class_B 1")).unwrap(), (words.clone(), false));
    assert_eq!(find(takes("some ikra_class_A 0 2 ikra_class_B 1")).unwrap(), (words, true));
    assert_eq!(find(text()).unwrap(), (Vec::new(), true), "of another version, which does not say");
    // Fewer table entries than the parameter has room for.
    assert!(matches!(find(takes("all ikra_class_A 0 2")), Err(GpuError::DeviceCodeDiffers { .. })));
    assert!(matches!(find(takes("all")), Err(GpuError::DeviceCodeDiffers { .. })));
}

#[test]
fn parameters_have_sizes() {
    for (declaration, bytes) in [
        (".u64 .ptr .align 1 k_param_2,", 8),
        (".b8 k", 1),
        (".f32 k,", 4),
        (".align 16 .b8 k[16]", 16),
        (".u16 k", 2),
        (".pred k", 0),
    ] {
        assert_eq!(parameter_bytes(declaration), bytes, "{declaration}");
    }
}
