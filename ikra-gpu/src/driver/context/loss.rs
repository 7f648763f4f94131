//! The failure after which a context does nothing more.

use ikra_runtime::error::GpuError;

/// The reason why nothing works in a context any more.
#[derive(Clone, Debug)]
pub(crate) struct Loss {
    /// The kernels that may have failed, each with the number of its queue.
    pub(crate) kernels: Vec<(u64, &'static str)>,
    /// The driver's error.
    pub(crate) reason: String,
}

impl Loss {
    /// The error for the queue with this number.
    pub(crate) fn error(&self, queue: u64) -> GpuError {
        let name = |&(of, kernel): &(u64, &str)| {
            if of == queue { format!("`{kernel}`") } else { format!("`{kernel}` of another world") }
        };
        let kernel = match self.kernels.as_slice() {
            [] => String::from("something that no world started"),
            [kernel] => format!("kernel {}", name(kernel)),
            kernels => {
                format!("one of the kernels {}", kernels.iter().map(name).collect::<Vec<_>>().join(", "))
            }
        };
        GpuError::DeviceLost { kernel, reason: self.reason.clone() }
    }
}
