//! Runs of ordinary objects.

use super::Input;
use super::sheet::checksum as torn_checksum;
use crate::inputs::{Graph, Sheet};
use crate::objects::structure::{Anchor, LOOSE, Mass, NodeLink, Puller, Spring};
use crate::objects::{r#gen, gol, structure, ve, ven};
use crate::words_checksum;

/// A program over a graph: what vertices start with, their classes, and their result.
macro_rules! graph {
    ($program:path, $graph:expr, $iterations:expr, |$number:ident| $start:tt, $vertex:expr, $result:expr) => {{
        use $program::{BackEdge, ChiEdge, Edge};
        let graph: &Graph = $graph;
        let mut edges: Vec<Box<dyn ChiEdge>> = Vec::new();
        let mut vertices = Vec::new();
        for $number in 0..graph.vertices() {
            let sources = graph.incoming($number);
            let incoming = (edges.len()..edges.len() + sources.len()).collect();
            for from in sources.iter().map(|&source| source as usize) {
                edges.push(if from > $number {
                    Box::new(Edge { from, carried: Default::default() })
                } else {
                    Box::new(BackEdge { from, carried: Default::default() })
                });
            }
            let mut vertex = $vertex(graph.is_hub($number), incoming);
            vertex.start $start;
            vertices.push(vertex);
        }
        for _ in 0..$iterations {
            edges.iter_mut().for_each(|edge| edge.carry(&vertices));
            vertices.iter_mut().for_each(|vertex| vertex.gather(&edges));
        }
        words_checksum(vertices.iter().map($result))
    }};
}

/// A vertex of a class.
macro_rules! vertex {
    ($program:ident) => {
        |_, incoming| ve::$program::Vertex { incoming, ..Default::default() }
    };
}

/// A vertex of either class.
macro_rules! boxed {
    ($program:ident) => {
        |is_hub, incoming| -> Box<dyn ven::$program::ChiVertex> {
            use ven::$program::{Hub, Parts, Vertex};
            let parts = Parts { incoming, ..Parts::default() };
            if is_hub { Box::new(Hub { parts }) } else { Box::new(Vertex { parts }) }
        }
    };
}

/// A game: how agents are made, and the states of the result by those of cells.
macro_rules! field {
    ($module:ident, $living:expr, $size:expr, { $($age:tt)* }, $state:expr) => {{
        use $module::{Action, Agent, Alive, Cell, Field, Game, NEW, NOBODY, recruit};
        let [width, height, steps] = $size;
        let field = Field { width, height };
        let mut game = Game::default();
        for (cell, &lives) in $living.iter().enumerate() {
            game.cells.push(Cell { state: if lives { NEW } else { NOBODY } });
            if lives {
                game.alive.push(Alive { cell, action: Action::Stay, $($age)* });
            }
        }
        let recruit_all = |game: &mut Game| {
            (0..game.cells.len()).for_each(|cell| recruit(&mut game.cells, field, cell, &mut game.candidates));
        };
        recruit_all(&mut game);
        for _ in 0..steps {
            game.alive.iter_mut().for_each(|agent| agent.prepare(field, &game.cells));
            game.candidates.iter_mut().for_each(|agent| agent.prepare(field, &game.cells));
            let (mut candidates, mut alive) = (Vec::new(), Vec::new());
            game.alive.retain_mut(|agent| agent.update(&mut game.cells, &mut candidates));
            game.candidates.retain_mut(|agent| agent.update(&mut game.cells, &mut alive));
            game.alive.append(&mut alive);
            game.candidates.append(&mut candidates);
            recruit_all(&mut game);
        }
        words_checksum(game.cells.iter().map(|cell| cell.state).map($state))
    }};
}

fn sheet(sheet: &Sheet, rounds: [u32; 2]) -> u64 {
    let mut world = structure::Sheet::default();
    let mut links = Vec::new();
    for (node, (&pos, &mass)) in (0..).zip(sheet.pos.iter().zip(&sheet.mass)) {
        let nodes = &mut world.nodes;
        links.push(if sheet.is_anchored(node) {
            nodes.anchors.push(Anchor { pos });
            NodeLink::Anchor(nodes.anchors.len() - 1)
        } else if sheet.is_pulled(node) {
            nodes.pullers.push(Puller { pos, vel: Sheet::PULL });
            NodeLink::Puller(nodes.pullers.len() - 1)
        } else {
            nodes.masses.push(Some(Mass { pos, vel: [0.0; 2], mass, distance: LOOSE, springs: Vec::new() }));
            NodeLink::Mass(nodes.masses.len() - 1)
        });
    }
    for (n, ends) in sheet.ends.iter().enumerate() {
        let [a, b] = ends.map(|end| links[end as usize]);
        let (length, stiffness, strength) = (sheet.length[n], sheet.stiffness[n], sheet.strength[n]);
        let spring = Spring { a, b, length, stiffness, strength, force: [0.0; 2], distance: LOOSE, broken: false };
        world.springs.push(Some(spring));
        for end in [a, b] {
            if let NodeLink::Mass(mass) = end
                && let Some(mass) = &mut world.nodes.masses[mass]
            {
                mass.springs.push(n);
            }
        }
    }
    for _ in 0..rounds[0] {
        world.nodes.pullers.iter_mut().for_each(Puller::pull);
        for _ in 0..rounds[1] {
            world.springs.iter_mut().flatten().for_each(|spring| spring.stretch(&world.nodes));
            for (n, mass) in world.nodes.masses.iter_mut().enumerate() {
                if let Some(mass) = mass {
                    mass.advance(NodeLink::Mass(n), &world.springs);
                }
            }
        }
        world.part();
        world.nodes.masses.iter_mut().flatten().for_each(Mass::let_go);
        loop {
            world.springs.iter_mut().flatten().for_each(|spring| spring.carry(&world.nodes));
            let masses = world.nodes.masses.iter_mut().flatten();
            if !masses.fold(false, |is_new, mass| is_new | mass.settle(&world.springs)) {
                break;
            }
        }
        world.fall();
    }
    let nodes = &world.nodes;
    let places = nodes.anchors.iter().map(|anchor| Some(anchor.pos));
    let places = places.chain(nodes.masses.iter().map(|mass| mass.as_ref().map(|mass| mass.pos)));
    let places = places.chain(nodes.pullers.iter().map(|puller| Some(puller.pos)));
    torn_checksum(places, world.springs.iter().flatten().count())
}

/// Runs a workload.
pub(super) fn run(input: &Input) -> Option<u64> {
    Some(match input {
        Input::Graph(graph, iterations, program, is_ven) => match (*program, *is_ven) {
            ("bfs", false) => {
                graph!(ve::bfs, graph, *iterations, |number| (number == 0), vertex!(bfs), |vertex| vertex.level)
            }
            ("cc", false) => graph!(ve::cc, graph, *iterations, |number| (number), vertex!(cc), |vertex| vertex.label),
            (_, false) => {
                graph!(ve::pr, graph, *iterations, |number| (), vertex!(pr), |vertex| vertex.rank.to_bits())
            }
            ("bfs", true) => {
                graph!(ven::bfs, graph, *iterations, |number| (number == 0), boxed!(bfs), |vertex| vertex.here())
            }
            ("cc", true) => {
                graph!(ven::cc, graph, *iterations, |number| (number), boxed!(cc), |vertex| vertex.own_label())
            }
            (_, true) => {
                graph!(ven::pr, graph, *iterations, |number| (), boxed!(pr), |vertex| vertex.parts().rank.to_bits())
            }
        },
        Input::Field(living, size, rule) if *rule == "gol" => {
            field!(gol, living, *size, {}, |state| u32::from(state >= gol::ALIVE))
        }
        Input::Field(living, size, _) => field!(r#gen, living, *size, { age: 0 }, super::field::state_of_gen),
        Input::Sheet(input, rounds) => sheet(input, *rounds),
        Input::Traffic(_) | Input::Rays(..) => return None,
    })
}
