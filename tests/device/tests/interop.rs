//! Kernels and the host see other libraries' work on columns, and vice versa, without extra copies.
#![allow(missing_docs, reason = "a test, not a library")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, sys};
use ikra::prelude::*;
use ikra::{Error, gpu::GpuError};
use ikra_device_tests::model::*;
use ikra_device_tests::{emulated, has_gpu};

const N: usize = 10_000;

fn crowd(n: usize) -> Crowd {
    let mut sim = Crowd::new();
    sim.bodies.extend((0..n).map(|n| Body { pos: n as f64, vel: 0.5, age: n as u32 })).unwrap();
    sim
}

/// The contexts and streams of `cudarc`: the primary context with a new stream and with the default stream, and a
/// separate context.
fn streams() -> Vec<Arc<CudaStream>> {
    let primary = CudaContext::new(0).unwrap();
    let own = CudaContext::new_non_primary(0, 0).unwrap();
    vec![primary.default_stream(), primary.new_stream().unwrap(), own.new_stream().unwrap(), own.default_stream()]
}

#[test]
fn what_is_written_on_a_stream_is_read_by_kernels_and_by_the_host() {
    if !has_gpu() {
        return;
    }
    for stream in streams() {
        let mut sim = crowd(N);
        sim.cuda().open_in(stream.context()).unwrap();
        for step in 0..100 {
            sim.cuda_execute(Body::grow_old, ()).unwrap();
            let ages = sim.cuda().lend(&stream, |columns| {
                let age = columns.column(body::age);
                let mut pos = columns.column_mut(body::pos);
                assert_eq!((age.len(), pos.len()), (N, N));
                let ages = stream.clone_dtoh(&age).unwrap();
                let places: Vec<f64> = ages.iter().map(|&age| f64::from(age) * 2.0).collect();
                stream.memcpy_htod(&places, &mut pos).unwrap();
                ages
            });
            assert_eq!(ages.unwrap()[7], 8 + step, "after the kernel");
            sim.cuda_execute(Body::advance, 2.0).unwrap();
        }
        let stats = sim.cuda().stats();
        assert_eq!((stats.bytes_up, stats.bytes_down), (N as u64 * (8 + 8 + 4), 0), "columns stayed on the device");
        assert_eq!(sim.bodies.column(body::pos)[7], 107.0 * 2.0 + 1.0);
        assert_eq!(sim.bodies.column(body::age)[N - 1], N as u32 + 99);

        // The host's writes reach the library.
        sim.bodies.column_mut(body::vel)[3] = 9.0;
        let vel = sim.cuda().lend(&stream, |columns| stream.clone_dtoh(&columns.column(body::vel)).unwrap()).unwrap();
        assert_eq!(vel[2..5], [0.5, 9.0, 0.5]);
    }
}

#[test]
fn columns_within_a_block_of_a_fixed_capacity_and_arrays_are_the_right_bytes() {
    if !has_gpu() {
        return;
    }
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut world = Samples::new();
    let sample = |n: usize| Sample {
        x: n as f32,
        y: -1.0,
        f: [0.5; 24],
        g: [0.25; 24],
        fast: [n as f32; 6],
        random: [0.0; 4],
        bits: 3,
    };
    world.samples.extend((0..300).map(sample)).unwrap();
    let (x, fast, g) = world
        .cuda()
        .lend(&stream, |columns| {
            let x = stream.clone_dtoh(&columns.column(sample::x)).unwrap();
            let fast: Vec<[f32; 6]> = stream.clone_dtoh(&columns.column(sample::fast)).unwrap();
            stream.memset_zeros(&mut columns.column_mut(sample::f)).unwrap();
            (x, fast, stream.clone_dtoh(&columns.column(sample::g)).unwrap())
        })
        .unwrap();
    assert_eq!((x[299], fast[299], g[299]), (299.0, [299.0; 6], [0.25; 24]));
    assert_eq!(world.samples.column(sample::f), [[0.0; 24]; 300]);
    assert_eq!(world.samples.column(sample::y), [-1.0; 300]);

    let mut fixed = FixedWorld::new();
    let places: Vec<_> = fixed.places.extend((0..4).map(place)).unwrap().collect();
    fixed.things.extend((0..500).map(|n| thing(n, places[n % 4]))).unwrap();
    let doubles = fixed
        .cuda()
        .lend(&stream, |columns| {
            let mut vector = columns.column_mut(fixed::vector);
            stream.memcpy_htod(&vec![[1.0, 2.0, 3.0]; 500], &mut vector).unwrap();
            stream.clone_dtoh(&columns.column(fixed::double)).unwrap()
        })
        .unwrap();
    assert_eq!(doubles, (0..500).map(f64::from).collect::<Vec<_>>());
    assert_eq!(fixed.things.column(fixed::vector), [[1.0, 2.0, 3.0]; 500]);
    assert_eq!(fixed.things.column(fixed::short)[499], 499, "beside it");
}

fn place(n: usize) -> Place {
    Place { height: n as f32, visits: 0, balance: 0, lowest: 0, highest: 0, weight: 0.0, mass: 0.0, open: false }
}

fn thing(n: usize, place: Link<Place>) -> Fixed {
    let pair = Pair { small: 0, large: 0.0 };
    Fixed {
        byte: n as u8,
        flag: false,
        short: n as i16,
        single: 0.0,
        double: n as f64,
        vector: [0.0; 3],
        long: 0,
        next: None,
        place,
        pair,
        flat: pair,
        kind: Kind::A,
        hits: 0,
        holder: None,
    }
}

#[test]
fn a_world_that_grows_lends_what_is_there_then() {
    if !has_gpu() {
        return;
    }
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut sim = Crowd::new();
    let lens =
        |sim: &mut Crowd| sim.cuda().lend(&stream, |columns| stream.clone_dtoh(&columns.column(body::age)).unwrap());
    assert_eq!(lens(&mut sim).unwrap(), [], "no objects");
    for n in [3, 5000, 70_000] {
        sim.bodies.extend((sim.bodies.len()..n).map(|n| Body { pos: 0.0, vel: 0.5, age: n as u32 })).unwrap();
        assert_eq!(lens(&mut sim).unwrap(), (0..n as u32).collect::<Vec<_>>());
    }
}

#[test]
fn what_cannot_be_lent_is_refused_and_the_world_goes_on() {
    if !has_gpu() {
        return;
    }
    let (mut sim, mut others) = (crowd(100), streams());
    let (own, stream) = (others.remove(2), others.remove(1));
    let panics = |sim: &mut Crowd, work: &dyn Fn(&mut Crowd)| {
        let panic = catch_unwind(AssertUnwindSafe(|| work(sim))).unwrap_err();
        panic.downcast_ref::<String>().map_or_else(|| (*panic.downcast_ref::<&str>().unwrap()).to_owned(), Clone::clone)
    };
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    let text = panics(&mut sim, &|sim| {
        let _ = sim.cuda().lend(&stream, |columns| {
            let _age = columns.column(body::age);
            let _again = columns.column(body::age);
            let _more = columns.column_mut(body::age);
        });
    });
    assert!(text.contains("Body::age is lent already"), "{text}");
    let text = panics(&mut sim, &|sim| {
        let _ = sim.cuda().lend(&stream, |columns| {
            let mut age = columns.column_mut(body::age);
            stream.memset_zeros(&mut age).unwrap();
            panic!("no more");
        });
    });
    assert_eq!(text, "no more");
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    assert_eq!(sim.bodies.column(body::age), [1; 100], "what was started before the panic counts");

    let refused = |result: Result<(), Error>| result.unwrap_err().to_string();
    let text = refused(sim.cuda().lend(&own, |_| unreachable!()));
    assert!(text.contains("open_in"), "{text}");
    let text = refused(sim.on(ikra::Place::Gpu(0)).record(|sim| sim.world().cuda().lend(&stream, |_| ())).map(drop));
    assert!(text.contains("lending columns"), "{text}");
    stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
    let text = refused(sim.cuda().lend(&stream, |_| unreachable!()));
    assert!(text.contains("recorded into a graph"), "{text}");
    let _ = stream.end_capture(sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);

    // Between contexts, columns are fetched and uploaded to the device in the new context.
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    sim.cuda().open_in(own.context()).unwrap();
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    assert_eq!(sim.cuda().lend(&own, |columns| own.clone_dtoh(&columns.column(body::age)).unwrap()).unwrap(), [3; 100]);
    // The world keeps the context.
    drop((own, others));
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    assert_eq!(sim.bodies.column(body::age), [4; 100]);
}

/// A column would have values of objects that no longer exist.
#[test]
fn columns_with_removed_objects_are_not_lent() {
    if !has_gpu() {
        return;
    }
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut sim = crowd(100);
    let first = sim.bodies.links().next().unwrap();
    sim.remove(first).unwrap();
    let lent = |sim: &mut Crowd| sim.cuda().lend(&stream, |columns| columns.column(body::age).len());
    let panic = catch_unwind(AssertUnwindSafe(|| lent(&mut sim))).unwrap_err();
    let said = panic.downcast::<String>().unwrap();
    assert!(said.contains("objects of class Body were removed (1)") && said.contains("compact"), "{said}");
    sim.compact::<Body>().unwrap();
    assert_eq!(lent(&mut sim).unwrap(), 99);
}

#[test]
#[ignore = "run by others, on the emulator"]
fn a_world_and_a_stream() {
    assert!(has_gpu());
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut sim = crowd(100);
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    let panic = catch_unwind(AssertUnwindSafe(|| {
        sim.cuda().lend(&stream, |columns| {
            let _age = columns.column_mut(body::age);
            eprintln!("stream {:?} of cudarc", stream.cu_stream());
            panic!("in the middle");
        })
    }));
    assert!(panic.is_err());
    sim.cuda_execute(Body::grow_old, ()).unwrap();
}

/// The streams wait for each other, despite a panic.
#[test]
fn work_of_both_streams_is_in_order() {
    if !has_gpu() {
        return;
    }
    let said = emulated(&[("TRACE", "1")], &["a_world_and_a_stream"]);
    let lines: Vec<&str> = said.lines().collect();
    let find = |from: usize, what: &str| from + lines[from..].iter().position(|line| line.contains(what)).expect(what);
    let launch = find(0, "launches ikra_kernel_Body_grow_old");
    let world = lines[launch].split(' ').nth(1).unwrap();
    let before = find(launch, &format!("stream {world} records event"));
    let event = lines[before].rsplit(' ').next().unwrap();
    let waits = find(before, &format!("waits for event {event}"));
    let other = lines[waits].split(' ').nth(1).unwrap();
    let middle = find(waits, &format!("stream {other} of cudarc"));
    let after = find(middle, &format!("stream {other} records event"));
    let event = lines[after].rsplit(' ').next().unwrap();
    let waits = find(after, &format!("stream {world} waits for event {event}"));
    let again = find(waits, "launches ikra_kernel_Body_grow_old");
    let between = lines[waits..again].iter().filter(|line| line.contains("launches"));
    assert!(other != world && between.count() == 0, "{said}");
    assert!(!said.contains("cuDevicePrimaryCtxReset_v2"), "{said}");
}

#[test]
#[ignore = "run by others, on the emulator"]
fn a_world_that_fails() {
    assert!(has_gpu());
    let mut sim = crowd(100);
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    assert!(matches!(sim.on(ikra::Place::Gpu(0)).synchronize(), Err(Error::Gpu(GpuError::DeviceLost { .. }))));
}

#[test]
#[ignore = "run by others, on the emulator"]
fn a_world_that_fails_beside_a_stream() {
    assert!(has_gpu());
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut sim = crowd(100);
    sim.cuda().lend(&stream, |_| ()).unwrap();
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    assert!(matches!(sim.on(ikra::Place::Gpu(0)).synchronize(), Err(Error::Gpu(GpuError::DeviceLost { .. }))));
}

/// The handles of the other library would dangle.
#[test]
fn a_context_that_others_use_is_not_reset() {
    if !has_gpu() {
        return;
    }
    let fails = [("PLAN", "cuStreamSynchronize:700"), ("TRACE", "1")];
    let (alone, shared) =
        (emulated(&fails, &["a_world_that_fails"]), emulated(&fails, &["a_world_that_fails_beside_a_stream"]));
    assert!(alone.contains("called cuDevicePrimaryCtxReset_v2"), "{alone}");
    assert!(!shared.contains("called cuDevicePrimaryCtxReset_v2"), "{shared}");
}
