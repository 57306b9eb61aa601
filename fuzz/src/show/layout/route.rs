//! Arrows: straight down through each layer, bent between layers.

use super::place::Places;
use super::rank::Ranks;
use super::{Arrow, LOOP_WIDTH, Layout, Net, Point, Route, Size, loop_width};

/// Widest distance between two arrows that meet at a box.
const PORT_GAP: f64 = 18.0;
/// Room at the corners of a box.
const CORNER: f64 = 10.0;

pub(super) fn route(
    net: &Net,
    places: &Places,
    boxes: &[Size],
    arrows: &[Arrow],
    ranks: &Ranks,
) -> Layout {
    let corners: Vec<Point> = (0..net.boxes).map(|node| corner(net, places, node)).collect();
    let ports = Ports::new(net, places, boxes, &corners);
    let mut loops = vec![0.0; boxes.len()];
    let mut routes = Vec::with_capacity(arrows.len());
    for (number, arrow) in arrows.iter().enumerate() {
        let chain = &net.chains[number];
        if chain.is_empty() {
            let aside = &mut loops[arrow.from];
            routes.push(self_loop(arrow, corners[arrow.from], boxes[arrow.from], *aside));
            *aside += loop_width(arrow);
        } else {
            let ends = (ports.below[number], ports.above[number]);
            let mut route = along(net, places, chain, ends, boxes[chain[0]].height);
            if ranks.turned[number] {
                route.curve.reverse();
            }
            let labelled = if ranks.turned[number] { chain.len() - 2 } else { 1 };
            let vertex = chain[labelled];
            let (x, y) = (places.x[vertex], places.layers[net.vertices[vertex].layer].0);
            route.label = Point { x, y };
            routes.push(route);
        }
    }
    let height = places.layers.last().map_or(0.0, |&(_, bottom)| bottom);
    Layout { size: Size { width: places.width, height }, boxes: corners, routes }
}

/// A box stands at the upper left of its room; self-loops are beside it.
fn corner(net: &Net, places: &Places, node: usize) -> Point {
    let vertex = &net.vertices[node];
    Point { x: places.x[node] - vertex.left, y: places.layers[vertex.layer].0 }
}

/// Where arrows meet boxes, by arrow.
struct Ports {
    /// At the lower edge of the upper box.
    below: Vec<f64>,
    /// At the upper edge of the lower box.
    above: Vec<f64>,
}

impl Ports {
    fn new(net: &Net, places: &Places, boxes: &[Size], corners: &[Point]) -> Ports {
        let mut down: Vec<Vec<(f64, usize)>> = vec![Vec::new(); boxes.len()];
        let mut up = down.clone();
        for (number, chain) in net.chains.iter().enumerate().filter(|(_, c)| c.len() > 1) {
            down[chain[0]].push((places.x[chain[1]], number));
            up[chain[chain.len() - 1]].push((places.x[chain[chain.len() - 2]], number));
        }
        let spread = |mut ends: Vec<Vec<(f64, usize)>>| {
            let mut ports = vec![0.0; net.chains.len()];
            for (node, ends) in ends.iter_mut().enumerate() {
                ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let width = boxes[node].width;
                let room = (width - 2.0 * CORNER).max(0.0) / ends.len().max(1) as f64;
                let gap = room.min(PORT_GAP);
                let first = corners[node].x + width / 2.0 - gap * (ends.len() as f64 - 1.0) / 2.0;
                for (position, (_, number)) in ends.iter().enumerate() {
                    ports[*number] = first + gap * position as f64;
                }
            }
            ports
        };
        Ports { below: spread(down), above: spread(up) }
    }
}

/// From the upper end to the lower one.
fn along(
    net: &Net,
    places: &Places,
    chain: &[usize],
    (below, above): (f64, f64),
    upper_height: f64,
) -> Route {
    let band = |vertex: usize| places.layers[net.vertices[vertex].layer];
    let (top, bottom) = band(chain[0]);
    let mut path = Path { curve: vec![Point { x: below, y: top + upper_height }] };
    path.line(Point { x: below, y: bottom });
    for (position, &vertex) in chain.iter().enumerate().skip(1) {
        let (top, bottom) = band(vertex);
        if position + 1 == chain.len() {
            path.bend(Point { x: above, y: top });
        } else {
            path.bend(Point { x: places.x[vertex], y: top });
            path.line(Point { x: places.x[vertex], y: bottom });
        }
    }
    Route { curve: path.curve, label: Point::default() }
}

struct Path {
    curve: Vec<Point>,
}

impl Path {
    fn last(&self) -> Point {
        self.curve.last().copied().unwrap_or_default()
    }

    fn line(&mut self, to: Point) {
        let from = self.last();
        if from != to {
            self.curve.extend([from, to, to]);
        }
    }

    /// A curve that leaves and arrives upright.
    fn bend(&mut self, to: Point) {
        let from = self.last();
        if from.x == to.x {
            return self.line(to);
        }
        let middle = (from.y + to.y) / 2.0;
        self.curve.extend([Point { x: from.x, y: middle }, Point { x: to.x, y: middle }, to]);
    }
}

/// A loop at the right side of a box, `aside` from it where others come first.
fn self_loop(arrow: &Arrow, corner: Point, size: Size, aside: f64) -> Route {
    let x = corner.x + size.width;
    let (upper, lower) = (corner.y + 0.25 * size.height, corner.y + 0.75 * size.height);
    let far = x + aside + 0.8 * LOOP_WIDTH;
    let start = Point { x, y: lower };
    let end = Point { x, y: upper };
    let curve = vec![start, Point { x: far, y: lower }, Point { x: far, y: upper }, end];
    let y = (upper + lower - arrow.label.height) / 2.0;
    // A cubic reaches three quarters of the way to its control points.
    let label = Point { x: x + aside + 0.7 * LOOP_WIDTH, y: y.max(corner.y) };
    Route { curve, label }
}
