//! The device code of a package.

use core::fmt;

/// The result of `ikra-build` in a package's build script, compiled for the device. `ikra::device_code!()` returns it
/// there.
///
/// A world has the device code of its own package. If kernels are in other packages, list their device code:
/// `#[soa_world(device_code = [shapes::DEVICE_CODE])]`.
///
/// ```
/// const DEVICE_CODE: ikra::DeviceCode = ikra::device_code!();
///
/// // This package has no build script that compiles a model.
/// assert_eq!((DEVICE_CODE.package(), DEVICE_CODE.text()), ("ikra-core", None));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DeviceCode {
    package: &'static str,
    text: Option<&'static str>,
}

impl DeviceCode {
    /// The device code of a package, if it has any.
    ///
    /// # Safety
    ///
    /// `ikra-build` made the text, and the comments in it are true.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn new(package: &'static str, text: Option<&'static str>) -> Self {
        Self { package, text }
    }

    /// The package for which it was compiled.
    #[must_use]
    pub const fn package(self) -> &'static str {
        self.package
    }

    /// The code, in NVIDIA's assembly language PTX; `None` if the package was built without a compiler for the device.
    #[must_use]
    pub const fn text(self) -> Option<&'static str> {
        self.text
    }
}

impl fmt::Debug for DeviceCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceCode").field("package", &self.package).field("bytes", &self.text.map(str::len)).finish()
    }
}
