//! Distances in a graph whose vertices hold arrays of links.
//!
//! ```sh
//! cargo run --example distances
//! ```

use ikra::prelude::*;

#[soa_class]
struct Vertex {
    distance: u32,
    #[inline_array(3)] // three neighbours in columns, further ones in the class's arena
    neighbours: InnerArray<Link<Vertex>>,
}

#[soa_methods]
impl Vertex {
    /// Takes the distance of the nearest neighbour and one more. Says whether that is new.
    #[kernel(snapshot(distance), reduce(Any))]
    fn relax(&mut self) -> bool {
        let nearest = self.neighbours.iter().map(|vertex| vertex.distance()).min();
        let distance = nearest.map_or(u32::MAX, |nearest| nearest.saturating_add(1)).min(self.distance);
        let is_new = distance != self.distance;
        self.distance = distance;
        is_new
    }
}

#[soa_world]
struct Graph {
    vertices: Objects<Vertex>,
}

fn main() -> Result<(), ikra::Error> {
    // A grid of streets; every seventh crossing has a shortcut.
    let size = 60;
    let mut graph = Graph::new();
    let links: Vec<Link<Vertex>> = graph.vertices.reserve(size * size)?.collect();
    for (n, &link) in links.iter().enumerate() {
        let (x, y) = (n % size, n / size);
        let mut neighbours = Vec::new();
        neighbours.extend((x > 0).then(|| links[n - 1]));
        neighbours.extend((x + 1 < size).then(|| links[n + 1]));
        neighbours.extend((y > 0).then(|| links[n - size]));
        neighbours.extend((y + 1 < size).then(|| links[n + size]));
        neighbours.extend((n % 7 == 0).then(|| links[n * n % links.len()]));
        let distance = if n == 0 { 0 } else { u32::MAX };
        graph.vertices.init(link, Vertex { distance, neighbours: neighbours.into() })?;
    }
    let rounds = (1..).take_while(|_| graph.execute_and_reduce(Vertex::relax, (), Any)).count();
    let farthest = graph.vertices.column(vertex::distance).iter().max();
    println!("after {rounds} rounds the farthest of {} vertices is {farthest:?} steps away", links.len());
    Ok(())
}
