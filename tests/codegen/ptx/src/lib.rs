//! The device code of `ikra-device-tests`, for tests of its instructions.

use std::path::Path;
use std::sync::OnceLock;

use ikra_build::ptx::{self, Kernel};
use ikra_build::ptxas::{self, Usage};

/// Device code.
#[derive(Debug)]
pub struct Code {
    /// Its path.
    pub path: &'static Path,
    /// Its whole text.
    pub text: String,
    /// Its kernels.
    pub kernels: Vec<Kernel>,
}

impl Code {
    /// The kernel whose name starts with this prefix.
    ///
    /// # Panics
    ///
    /// If no kernel matches.
    #[must_use]
    pub fn kernel(&self, name: &str) -> &Kernel {
        let found = self.kernels.iter().find(|kernel| kernel.name.starts_with(name));
        found.unwrap_or_else(|| panic!("there is no kernel {name}"))
    }
}

/// The device code, if a device compiler was available.
///
/// # Panics
///
/// If there is no device code and `IKRA_REQUIRE_DEVICE_CODE` is set.
pub fn code() -> Option<&'static Code> {
    static CODE: OnceLock<Option<Code>> = OnceLock::new();
    let read = || {
        let path = Path::new(ikra_device_tests::device_code()?);
        let text = std::fs::read_to_string(path).expect("the device code can be read");
        let kernels = ptx::kernels(&text);
        Some(Code { path, text, kernels })
    };
    CODE.get_or_init(read).as_ref()
}

/// The assembler's statistics for `sm_90`. They are cached, because assembling takes ten seconds and several tests need
/// them.
///
/// # Panics
///
/// If the assembler rejects the code.
pub fn usages(code: &Code) -> Option<&'static [Usage]> {
    static USAGES: OnceLock<Option<Vec<Usage>>> = OnceLock::new();
    let assemble = || {
        let ptxas = ptxas::find()?;
        Some(ptxas::assemble(&ptxas, code.path, "sm_90").unwrap_or_else(|error| panic!("{error}")))
    };
    USAGES.get_or_init(assemble).as_deref()
}
