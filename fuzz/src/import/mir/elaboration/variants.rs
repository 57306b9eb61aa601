//! Which variants of an enum can't be there behind a switch on its discriminant.
//!
//! rustc takes the paths of such variants for uninitialized on the edge. MIR prints variants by name but
//! discriminants by number, so which number is whose is found out: a variant is named only where it is the
//! active one, and so it belongs to the edge that every way to such a place takes. Where that tells nothing, enums
//! of the standard library are known by heart. Any other variant may be each that has no edge of its own.

use super::path::{MovePath, Step, path};
use super::places::Places;
use crate::import::mir::body::{RawBlock, RawBody};
use crate::import::mir::scan::Cursor;
use backedge_core::cfg::{Cfg, Dominators};
use backedge_core::ir::{Block, Function};

/// Variants of enums in the standard library, with their discriminants.
const STANDARD: [(&str, u128); 8] = [
    ("None", 0),
    ("Some", 1),
    ("Ok", 0),
    ("Err", 1),
    ("Continue", 0),
    ("Break", 1),
    ("Ready", 0),
    ("Pending", 1),
];

/// `switchInt` on the discriminant of a place that has paths for variants.
pub(super) struct Switch<'p> {
    /// The paths of the variants.
    variants: Vec<&'p MovePath>,
    places: &'p Places,
}

/// The switch that a block ends in, if it is one.
pub(super) fn switch<'p>(block: &RawBlock<'_>, places: &'p Places) -> Option<Switch<'p>> {
    let (last, before) = block.lines.split_last()?;
    let on = last.text.strip_prefix("switchInt(move ")?;
    let on = path(&mut Cursor::new(on))?;
    let read = before.iter().rev().find(|line| !line.text.starts_with("Coverage::"))?;
    let mut cursor = Cursor::new(read.text);
    if path(&mut cursor)? != on || !cursor.eat(" = discriminant(") {
        return None;
    }
    let of = places.resolved(&path(&mut cursor)?);
    let is_variant = |path: &&MovePath| matches!(path.steps.last(), Some(Step::Variant(_)));
    let variants: Vec<&MovePath> = places.right_within(&of).filter(is_variant).collect();
    (!variants.is_empty()).then_some(Switch { variants, places })
}

/// Which way control takes where a variant is there.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Way {
    Of(usize),
    /// The default: no way has its value.
    Default,
    Unknown,
}

impl<'p> Switch<'p> {
    /// By way: the paths that are uninitialized there. A way is a target, with the value that it is taken for.
    pub(super) fn inactive(
        &self,
        raw: &RawBody<'_>,
        graph: &Graph<'_>,
        ways: &[(Option<u128>, Block)],
    ) -> Vec<Vec<&'p MovePath>> {
        let of: Vec<Way> = self.variants.iter().map(|v| self.way(v, raw, graph, ways)).collect();
        let at = |way: usize| -> Vec<&'p MovePath> {
            let taken = of.contains(&Way::Of(way));
            let pairs = self.variants.iter().zip(&of);
            let gone = pairs.filter(|&(_, &of)| match of {
                Way::Of(of) => of != way,
                Way::Default => ways[way].0.is_some(),
                Way::Unknown => taken,
            });
            gone.map(|(&variant, _)| variant).collect()
        };
        (0..ways.len()).map(at).collect()
    }

    fn way(
        &self,
        variant: &MovePath,
        raw: &RawBody<'_>,
        graph: &Graph<'_>,
        ways: &[(Option<u128>, Block)],
    ) -> Way {
        let Some(Step::Variant(name)) = variant.steps.last() else { return Way::Unknown };
        let names = |block: Block| {
            let lines = &raw.blocks[block.as_u32() as usize].lines;
            lines.iter().any(|line| self.is_named(variant, name, line.text))
        };
        let named =
            |&(value, to): &(Option<u128>, Block)| value.is_some() && graph.behind(to).any(names);
        if let Some(way) = ways.iter().position(named) {
            return Way::Of(way);
        }
        let Some((_, number)) = STANDARD.iter().find(|(standard, _)| standard == name) else {
            return Way::Unknown;
        };
        let way = ways.iter().position(|&(value, _)| value == Some(*number));
        way.map_or(Way::Default, Way::Of)
    }

    /// Whether a line names a variant of this enum, by whatever name of its place.
    fn is_named(&self, variant: &MovePath, name: &str, line: &str) -> bool {
        if !line.contains(&format!(" as {name})")) {
            return false;
        }
        let starts = line.char_indices().filter(|&(_, letter)| matches!(letter, '(' | '_'));
        starts
            .filter_map(|(at, _)| path(&mut Cursor::new(&line[at..])))
            .any(|found| self.places.resolved(&found).is_within(variant))
    }
}

/// The graph of a body.
pub(super) struct Graph<'f> {
    cfg: Cfg<'f>,
    dominators: Dominators<'f>,
}

impl<'f> Graph<'f> {
    /// `outline`: a function with the edges of the body, and nothing else.
    pub(super) fn new(outline: &'f Function) -> Graph<'f> {
        let cfg = Cfg::build(outline);
        let dominators = Dominators::new(&cfg);
        Graph { cfg, dominators }
    }

    /// The blocks that control gets to over the only edge into `to`, and not otherwise.
    fn behind(&self, to: Block) -> impl Iterator<Item = Block> {
        let only = self.cfg.preds(to).len() == 1;
        let blocks = if only { self.dominators.dominated(to) } else { &[] };
        blocks.iter().copied()
    }
}
