//! The library's functions by their names, for programs that ask the driver for them.

use std::ffi::{c_int, c_void};

use super::context::{
    cuCtxCreate_v2, cuCtxCreate_v3, cuCtxCreate_v4, cuCtxDestroy_v2, cuCtxEnablePeerAccess, cuCtxGetCurrent,
    cuCtxGetDevice, cuCtxGetLimit, cuCtxGetStreamPriorityRange, cuCtxPopCurrent_v2, cuCtxPushCurrent_v2,
    cuCtxSetCacheConfig, cuCtxSetCurrent, cuCtxSetFlags, cuCtxSetLimit, cuCtxSynchronize, cuDevicePrimaryCtxGetState,
    cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxRetain, cuFuncSetAttribute,
    cuFuncSetCacheConfig,
};
use super::device::{
    cuDeviceGet, cuDeviceGetAttribute, cuDeviceGetCount, cuDeviceGetName, cuDeviceGetUuid_v2, cuDeviceTotalMem_v2,
    cuDriverGetVersion, cuGetErrorName, cuGetErrorString, cuGetProcAddress_v2, cuInit,
};
use super::event::{
    cuEventCreate, cuEventDestroy_v2, cuEventElapsedTime, cuEventQuery, cuEventRecord, cuEventSynchronize,
};
use super::graph::{
    cuGraphAddNode_v2, cuGraphConditionalHandleCreate, cuGraphCreate, cuGraphDestroy, cuGraphExecDestroy,
    cuGraphGetNodes, cuGraphInstantiateWithFlags, cuGraphLaunch, cuGraphUpload, cuStreamBeginCapture_v2,
    cuStreamBeginCaptureToGraph, cuStreamEndCapture, cuThreadExchangeStreamCaptureMode,
};
use super::launch::{cuLaunchKernel, cuLaunchKernelEx};
use super::memory::{
    cuMemAlloc_v2, cuMemAllocAsync, cuMemFree_v2, cuMemFreeAsync, cuMemFreeHost, cuMemGetAddressRange_v2,
    cuMemGetInfo_v2, cuMemHostAlloc, cuMemHostGetDevicePointer_v2, cuMemcpy2DAsync_v2, cuMemcpyDtoD_v2,
    cuMemcpyDtoDAsync_v2, cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2,
    cuMemcpyPeerAsync, cuMemsetD8_v2, cuMemsetD8Async, cuMemsetD32Async,
};
use super::module::{
    cuFuncGetAttribute, cuModuleGetFunction, cuModuleGetGlobal_v2, cuModuleLoadData, cuModuleLoadDataEx,
    cuModuleUnload, cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
};
use super::stream::{
    cuLaunchHostFunc, cuStreamCreate, cuStreamCreateWithPriority, cuStreamDestroy_v2, cuStreamGetCtx,
    cuStreamIsCapturing, cuStreamQuery, cuStreamSynchronize, cuStreamWaitEvent,
};

macro_rules! table {
    ($($name:ident)*) => { [$((stringify!($name), $name as *mut c_void)),*] };
}

/// The address of a function, by its name with or without the suffix of its version.
pub(crate) fn find(name: &str, _version: c_int) -> Option<*mut c_void> {
    let table = table! {
        cuCtxCreate_v2 cuCtxCreate_v3 cuCtxCreate_v4 cuCtxDestroy_v2 cuCtxEnablePeerAccess cuCtxGetCurrent cuCtxGetDevice cuCtxGetLimit
        cuCtxGetStreamPriorityRange cuCtxPopCurrent_v2 cuCtxPushCurrent_v2 cuCtxSetCacheConfig cuCtxSetCurrent
        cuCtxSetFlags cuCtxSetLimit cuCtxSynchronize cuDeviceGet cuDeviceGetAttribute cuDeviceGetCount cuDeviceGetName
        cuDeviceGetUuid_v2 cuDevicePrimaryCtxGetState cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxReset_v2
        cuDevicePrimaryCtxRetain cuDeviceTotalMem_v2 cuDriverGetVersion cuEventCreate cuEventDestroy_v2
        cuEventElapsedTime cuEventQuery cuEventRecord cuEventSynchronize cuFuncGetAttribute cuFuncSetAttribute
        cuFuncSetCacheConfig cuGetErrorName cuGetErrorString cuGetProcAddress_v2 cuGraphAddNode_v2
        cuGraphConditionalHandleCreate cuGraphCreate cuGraphDestroy cuGraphExecDestroy
        cuGraphGetNodes cuGraphInstantiateWithFlags cuGraphLaunch cuGraphUpload cuInit cuLaunchHostFunc cuLaunchKernel
        cuLaunchKernelEx cuMemAllocAsync cuMemAlloc_v2 cuMemFreeAsync cuMemFreeHost cuMemFree_v2
        cuMemGetAddressRange_v2 cuMemGetInfo_v2 cuMemHostAlloc cuMemHostGetDevicePointer_v2 cuMemcpy2DAsync_v2
        cuMemcpyDtoDAsync_v2 cuMemcpyDtoD_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoH_v2 cuMemcpyHtoDAsync_v2 cuMemcpyHtoD_v2 cuMemcpyPeerAsync
        cuMemsetD32Async cuMemsetD8Async cuMemsetD8_v2 cuModuleGetFunction cuModuleGetGlobal_v2 cuModuleLoadData
        cuModuleLoadDataEx cuModuleUnload cuOccupancyMaxActiveBlocksPerMultiprocessor
        cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags cuStreamBeginCapture_v2 cuStreamBeginCaptureToGraph cuStreamCreate
        cuStreamCreateWithPriority cuStreamDestroy_v2 cuStreamEndCapture cuStreamGetCtx cuStreamIsCapturing
        cuStreamQuery cuStreamSynchronize cuStreamWaitEvent cuThreadExchangeStreamCaptureMode
    };
    let names = [name.to_owned(), format!("{name}_v2"), format!("{name}_v4"), format!("{name}_v3")];
    names.iter().find_map(|name| table.iter().find(|(known, _)| known == name)).map(|&(_, address)| address)
}
