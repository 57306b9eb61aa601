//! Places boxes and arrows on a plane, layer by layer (Sugiyama's method).
//!
//! 1. [`rank`]: edges that close a cycle are turned around, and every box goes below all boxes that
//!    have an edge to it. Boxes stand on even layers.
//! 2. Each edge passes the layers between its ends through invisible points. There is at least one,
//!    on an odd layer, and that one is as large as the edge's label.
//! 3. [`order`]: the layers are sorted so that few edges cross.
//! 4. [`place`]: coordinates. Every box and point has room of its own, so that nothing overlaps.
//! 5. [`route`]: arrows run straight down through their points and bend only between layers, where
//!    nothing else is.
//!
//! Every step is a fixed number of sweeps over finite lists. Any graph will do: irreducible,
//! disconnected, with self-loops and parallel edges.

mod order;
mod place;
mod rank;
mod route;
#[cfg(test)]
mod tests;

/// Most boxes, and most invisible points, that are placed.
const MOST_BOXES: usize = 2_000;
const MOST_POINTS: usize = 200_000;

/// The width of a self-loop, without its label.
const LOOP_WIDTH: f64 = 26.0;

#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// An edge to draw; the label has no size if there is none.
#[derive(Copy, Clone, Debug)]
pub(super) struct Arrow {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: Size,
}

#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A drawn edge.
#[derive(Clone, Debug, Default)]
pub(super) struct Route {
    /// A start, and three points for each cubic curve.
    pub(super) curve: Vec<Point>,
    /// The upper left corner of the label.
    pub(super) label: Point,
}

/// Where everything is.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) size: Size,
    /// The upper left corner of each box.
    pub(super) boxes: Vec<Point>,
    pub(super) routes: Vec<Route>,
}

/// Why nothing is drawn.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the graph is too large to be laid out")]
pub struct TooLarge;

/// Lays out boxes and arrows. Box 0 goes to the top.
///
/// # Errors
/// When there are too many.
pub(super) fn layout(boxes: &[Size], arrows: &[Arrow]) -> Result<Layout, TooLarge> {
    if boxes.len() > MOST_BOXES {
        return Err(TooLarge);
    }
    let ranks = rank::rank(boxes.len(), arrows);
    let mut net = Net::new(boxes, arrows, &ranks)?;
    order::order(&mut net);
    let places = place::place(&net);
    Ok(route::route(&net, &places, boxes, arrows, &ranks))
}

/// The graph with its invisible points. The vertices below `boxes` are the boxes.
pub(super) struct Net {
    pub(super) boxes: usize,
    pub(super) vertices: Vec<Vertex>,
    /// The vertices of each layer, from left to right.
    pub(super) layers: Vec<Vec<usize>>,
    /// By arrow: its vertices from the upper end to the lower one; empty for a self-loop.
    pub(super) chains: Vec<Vec<usize>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Vertex {
    pub(super) layer: usize,
    /// Room to the left of the place, and to the right.
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) height: f64,
    /// Neighbors on the layer above, and on the one below.
    pub(super) up: Vec<usize>,
    pub(super) down: Vec<usize>,
}

impl Net {
    fn new(boxes: &[Size], arrows: &[Arrow], ranks: &rank::Ranks) -> Result<Net, TooLarge> {
        let vertices = boxes.iter().zip(&ranks.ranks).map(|(&size, &rank)| Vertex {
            layer: 2 * rank,
            left: size.width / 2.0,
            right: size.width / 2.0,
            height: size.height,
            ..Vertex::default()
        });
        let mut net = Net {
            boxes: boxes.len(),
            vertices: vertices.collect(),
            layers: Vec::new(),
            chains: Vec::with_capacity(arrows.len()),
        };
        for arrow in arrows.iter().filter(|arrow| arrow.from == arrow.to) {
            let vertex = &mut net.vertices[arrow.from];
            vertex.right += loop_width(arrow);
            vertex.height = vertex.height.max(arrow.label.height);
        }
        for (arrow, &turned) in arrows.iter().zip(&ranks.turned) {
            let chain = net.chain(arrow, turned);
            net.chains.push(chain);
            if net.vertices.len() > MOST_POINTS {
                return Err(TooLarge);
            }
        }
        Ok(net)
    }

    /// Makes the points of an arrow.
    fn chain(&mut self, arrow: &Arrow, turned: bool) -> Vec<usize> {
        if arrow.from == arrow.to {
            return Vec::new();
        }
        let (upper, lower) = if turned { (arrow.to, arrow.from) } else { (arrow.from, arrow.to) };
        let (first, last) = (self.vertices[upper].layer, self.vertices[lower].layer);
        // The label stands near the arrow's source.
        let labelled = if turned { last - 1 } else { first + 1 };
        let mut chain = vec![upper];
        for layer in first + 1..last {
            // The label stands at the right side of the line.
            let label = if layer == labelled { arrow.label } else { Size::default() };
            let (right, height) = (label.width, label.height);
            chain.push(self.vertices.len());
            self.vertices.push(Vertex { layer, right, height, ..Vertex::default() });
        }
        chain.push(lower);
        for pair in chain.windows(2) {
            self.vertices[pair[0]].down.push(pair[1]);
            self.vertices[pair[1]].up.push(pair[0]);
        }
        chain
    }

    pub(super) fn is_box(&self, vertex: usize) -> bool {
        vertex < self.boxes
    }
}

/// How much a self-loop adds to the width of its box.
fn loop_width(arrow: &Arrow) -> f64 {
    LOOP_WIDTH + arrow.label.width
}
