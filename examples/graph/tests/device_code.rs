//! The example's device code: assembled, without spills.
#![allow(missing_docs, reason = "a test, not a library")]

#[test]
fn every_architecture_takes_it_without_spills() {
    let kernels = [
        "Vertex_push",
        "Vertex_pull",
        "Vertex_reset",
        "Vertex_frontier_edges",
        "Vertex_hook",
        "Vertex_settle",
        "Vertex_gather",
        "Vertex_relax",
        "Edge_push",
        "Edge_hook",
        "Edge_send",
        "Edge_relax",
    ];
    ikra_test_gpu::device_code::check(option_env!("IKRA_DEVICE_CODE"), &kernels);
}
