//! Nothing overlaps, whatever the graph.

use super::*;
use crate::generate::{Config, Shape, from_seed};

#[derive(Copy, Clone, Debug)]
struct Rect {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Rect {
    fn at(corner: Point, size: Size) -> Rect {
        let (left, top) = (corner.x, corner.y);
        Rect { left, top, right: left + size.width, bottom: top + size.height }
    }

    fn overlaps(&self, other: &Rect) -> bool {
        let slack = 1e-6;
        self.left + slack < other.right
            && other.left + slack < self.right
            && self.top + slack < other.bottom
            && other.top + slack < self.bottom
    }

    fn holds(&self, p: Point) -> bool {
        let slack = 1e-3;
        p.x > self.left + slack
            && p.x < self.right - slack
            && p.y > self.top + slack
            && p.y < self.bottom - slack
    }
}

fn cubic(points: &[Point], t: f64) -> Point {
    let u = 1.0 - t;
    let weights = [u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t];
    let sum = |of: fn(&Point) -> f64| points.iter().zip(weights).map(|(p, w)| of(p) * w).sum();
    Point { x: sum(|p| p.x), y: sum(|p| p.y) }
}

/// Lays out a graph with boxes and labels of many sizes, and looks at all that was placed.
fn check(count: usize, edges: &[(usize, usize)]) -> Layout {
    let size = |n: usize| Size {
        width: 40.0 + (n * 37 % 200) as f64,
        height: 20.0 + (n * 53 % 150) as f64,
    };
    let boxes: Vec<Size> = (0..count).map(size).collect();
    let label = |n: usize| match n % 3 {
        0 => Size::default(),
        _ => Size { width: 10.0 + (n * 29 % 90) as f64, height: 15.0 + (n * 13 % 40) as f64 },
    };
    let arrows: Vec<Arrow> = edges
        .iter()
        .enumerate()
        .map(|(n, &(from, to))| Arrow { from, to, label: label(n) })
        .collect();
    let layout = layout(&boxes, &arrows).unwrap();
    let mut rects: Vec<Rect> =
        layout.boxes.iter().zip(&boxes).map(|(&corner, &size)| Rect::at(corner, size)).collect();
    for (arrow, route) in arrows.iter().zip(&layout.routes) {
        let points = route.curve.len() - 1;
        assert!(points >= 3 && points.is_multiple_of(3));
        for piece in route.curve.windows(4).step_by(3) {
            for step in 0..=10 {
                let point = cubic(piece, f64::from(step) / 10.0);
                let hit = rects[..count].iter().position(|rect| rect.holds(point));
                assert_eq!(hit, None, "{arrow:?} runs through a box of {edges:?}");
            }
        }
        let ends = [route.curve[0], route.curve[points]];
        for (end, node) in ends.iter().zip([arrow.from, arrow.to]) {
            let rect = rects[node];
            assert!(end.x >= rect.left && end.x <= rect.right, "{arrow:?}");
            assert!(end.y >= rect.top - 1e-6 && end.y <= rect.bottom + 1e-6, "{arrow:?}");
        }
    }
    let labels = arrows.iter().zip(&layout.routes).filter(|(arrow, _)| arrow.label.width > 0.0);
    rects.extend(labels.map(|(arrow, route)| Rect::at(route.label, arrow.label)));
    for (n, one) in rects.iter().enumerate() {
        assert!(one.left >= -1e-6 && one.right <= layout.size.width + 1e-6, "{one:?}");
        assert!(one.top >= -1e-6 && one.bottom <= layout.size.height + 1e-6, "{one:?}");
        for other in &rects[n + 1..] {
            assert!(!one.overlaps(other), "{one:?} {other:?} of {edges:?}");
        }
    }
    layout
}

#[test]
fn small_graphs_of_every_kind() {
    check(0, &[]);
    check(1, &[]);
    check(1, &[(0, 0), (0, 0), (0, 0)]);
    check(2, &[(0, 1), (0, 1), (1, 0), (1, 0), (1, 1)]);
    check(3, &[(0, 1), (0, 2), (1, 2), (2, 1)]);
    check(3, &[(1, 0), (2, 0), (1, 2), (2, 1)]);
    check(5, &[(0, 1), (3, 4), (4, 3), (2, 1), (2, 2)]);
    check(4, &[(0, 3), (3, 0), (1, 3), (2, 3), (3, 1), (3, 2), (0, 0), (3, 3)]);
}

#[test]
fn box_0_is_at_the_top_and_arrows_go_down() {
    let layout = check(4, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 1)]);
    assert_eq!(layout.boxes[0].y, 0.0);
    assert!(layout.boxes[1].y < layout.boxes[3].y);
    let ys = |route: &Route| (route.curve[0].y, route.curve[route.curve.len() - 1].y);
    assert!(ys(&layout.routes[0]).0 < ys(&layout.routes[0]).1);
    assert!(ys(&layout.routes[4]).0 > ys(&layout.routes[4]).1);
}

#[test]
fn generated_graphs_of_every_shape() {
    for shape in Shape::ALL {
        let config = Config { shapes: vec![shape], max_blocks: 40 };
        for seed in 0..3 {
            for function in from_seed(seed, &config).case.program.functions {
                let mut edges = Vec::new();
                for (from, data) in &function.blocks {
                    data.term.kind.for_each_target(|target| {
                        edges.push((from.as_u32() as usize, target.block.as_u32() as usize));
                    });
                }
                check(function.blocks.len(), &edges);
            }
        }
    }
}

#[test]
fn what_is_too_large_is_refused() {
    let boxes = vec![Size { width: 1.0, height: 1.0 }; MOST_BOXES + 1];
    assert_eq!(layout(&boxes, &[]).unwrap_err(), TooLarge);
    let count = 1_000;
    let chain = (1..count).map(|n| (n - 1, n));
    let far = (0..count).map(|n| (0, n));
    let arrows: Vec<Arrow> =
        chain.chain(far).map(|(from, to)| Arrow { from, to, label: Size::default() }).collect();
    assert_eq!(layout(&boxes[..count], &arrows).unwrap_err(), TooLarge);
}

#[test]
fn a_chain_and_a_nest_of_many_boxes() {
    let chain: Vec<(usize, usize)> = (1..600).map(|n| (n - 1, n)).collect();
    check(600, &chain);
    let mut nest: Vec<(usize, usize)> = (1..120).map(|n| (n - 1, n)).collect();
    nest.extend((0..60).map(|n| (119 - n, n)));
    check(120, &nest);
}
