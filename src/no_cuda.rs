//! The prelude's names of the feature `cuda`, without it.

use crate::World;
use ikra_core::mistakes::HasFeatureCuda;

/// No world implements it, and the message says which feature does.
pub trait CudaWorld: World {
    /// The operations that exist on a GPU only.
    fn cuda(&mut self) {}
    /// Runs a kernel on a GPU.
    fn cuda_execute(&mut self) {}
    /// Combines a kernel's results on a GPU.
    fn cuda_execute_and_reduce(&mut self) {}
}
impl<W: World + HasFeatureCuda> CudaWorld for W {}
