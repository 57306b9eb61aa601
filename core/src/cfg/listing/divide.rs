//! Divides a listing into blocks, in time linear in its length but for the sorting of phi inputs.

use super::{Flow, Item, Listing, Outline};
use crate::cfg::validate::{Control, MistakeKind, OutlineBlock, OutlineInst, OutlinePhi, Site};
use crate::entity::{Block, Value};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use smol_str::{SmolStr, format_smolstr};
use std::ops::Range;

/// Where the blocks of a listing are, and the edges between them.
#[derive(Clone, Debug)]
pub struct Division {
    blocks: Vec<Part>,
    /// By block: where its edges start; one more for the end.
    edge_starts: Vec<u32>,
    targets: Vec<Block>,
    /// By edge: where what it reads starts; one more for the end.
    use_starts: Vec<u32>,
    uses: Vec<Value>,
}

/// Items of a block: `start..insts` is its label and its phis, `insts..end` its instructions.
#[derive(Clone, Debug)]
struct Part {
    name: SmolStr,
    start: usize,
    phis: usize,
    insts: usize,
    end: usize,
}

/// What is wrong with a listing, and at which item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct ItemMistake {
    /// What is wrong.
    pub kind: MistakeKind,
    /// The item; `None` for the listing as a whole.
    pub item: Option<usize>,
}

impl Division {
    /// Divides the listing.
    ///
    /// # Errors
    /// Every mistake, in the order of the items' blocks.
    pub fn new(listing: &impl Listing) -> Result<Division, Vec<ItemMistake>> {
        let (blocks, mut mistakes) = cut(listing);
        let outline = outline(listing, &blocks);
        mistakes.extend(outline.check().into_iter().map(|mistake| {
            let item = match mistake.at {
                Site::Code => None,
                Site::Block(block) => Some(blocks[block].start),
                Site::Phi(block, phi) => Some(blocks[block].phis + phi),
                Site::Inst(block, inst) => Some(blocks[block].insts + inst),
            };
            ItemMistake { kind: mistake.kind, item }
        }));
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        Ok(Division::join(listing, blocks, &outline))
    }

    /// Draws the edges of blocks that have been found sound.
    fn join(listing: &impl Listing, blocks: Vec<Part>, outline: &Outline) -> Division {
        let names = blocks.iter().enumerate();
        let numbers: FxHashMap<&str, Block> =
            names.map(|(index, part)| (part.name.as_str(), Block::new(index))).collect();
        let mut edge_starts = vec![0];
        let mut targets = Vec::new();
        for block in &outline.blocks {
            targets.extend(block.targets().filter_map(|name| numbers.get(name.as_str())));
            edge_starts.push(targets.len() as u32);
        }
        let reads = phi_reads(listing, &blocks, &numbers);
        let mut use_starts = vec![0];
        let mut uses = Vec::new();
        for (from, range) in edge_starts.windows(2).enumerate() {
            for &to in &targets[range[0] as usize..range[1] as usize] {
                let ends = (Block::new(from), to);
                let first = reads.partition_point(|&(edge, _)| edge < ends);
                let edge_reads = reads[first..].iter().take_while(|&&(edge, _)| edge == ends);
                uses.extend(edge_reads.map(|&(_, value)| value));
                use_starts.push(uses.len() as u32);
            }
        }
        drop(numbers);
        Division { blocks, edge_starts, targets, use_starts, uses }
    }

    /// How many blocks there are.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// The block's label, or the name that stands for one.
    pub fn name(&self, block: Block) -> &str {
        &self.blocks[block.index()].name
    }

    /// The block's phis, as items.
    pub fn phis(&self, block: Block) -> Range<usize> {
        self.blocks[block.index()].phis..self.blocks[block.index()].insts
    }

    /// The block's instructions, as items.
    pub fn insts(&self, block: Block) -> Range<usize> {
        self.blocks[block.index()].insts..self.blocks[block.index()].end
    }

    pub(super) fn successors(&self, block: Block) -> &[Block] {
        let start = self.edge_starts[block.index()];
        &self.targets[start as usize..self.edge_starts[block.index() + 1] as usize]
    }

    pub(super) fn edge_uses(&self, block: Block, slot: usize) -> &[Value] {
        let edge = self.edge_starts[block.index()] as usize + slot;
        &self.uses[self.use_starts[edge] as usize..self.use_starts[edge + 1] as usize]
    }
}

/// Cuts at labels and behind terminators.
fn cut(listing: &impl Listing) -> (Vec<Part>, Vec<ItemMistake>) {
    let mut parts: Vec<Part> = Vec::new();
    let mut mistakes = Vec::new();
    let mut ended = true;
    for item in 0..listing.len() {
        let what = listing.item(item);
        let label = if let Item::Label(label) = what { Some(label) } else { None };
        if ended || label.is_some() {
            let name = label.map_or_else(|| format_smolstr!("<{}>", parts.len()), SmolStr::new);
            let start = item + usize::from(label.is_some());
            parts.push(Part { name, start: item, phis: start, insts: start, end: start });
        }
        let Some(part) = parts.last_mut() else { continue };
        part.end = item + 1;
        if let Item::Phi(phi) = what {
            if part.insts == item {
                part.insts = item + 1;
            } else {
                let kind = MistakeKind::LatePhi { phi: phi.into() };
                mistakes.push(ItemMistake { kind, item: Some(item) });
            }
        }
        ended =
            !matches!(what, Item::Label(_) | Item::Phi(_) | Item::Inst(Flow::Next | Flow::Call));
    }
    (parts, mistakes)
}

fn outline(listing: &impl Listing, parts: &[Part]) -> Outline {
    let blocks = parts.iter().enumerate().map(|(index, part)| {
        let insts: Vec<OutlineInst> = (part.insts..part.end)
            .map(|item| OutlineInst { id: item as u64, control: control(listing.item(item)) })
            .collect();
        let ends = insts.last().is_some_and(|last| matches!(last.control, Control::GoesTo(_)));
        OutlineBlock {
            name: part.name.clone(),
            is_entry: index == 0,
            phis: (part.phis..part.insts).map(|item| outline_phi(listing, item)).collect(),
            insts,
            falls_to: parts.get(index + 1).filter(|_| !ends).map(|next| next.name.clone()),
            preds: None,
            succs: None,
        }
    });
    Outline { blocks: blocks.collect() }
}

fn control(item: Item<'_>) -> Control {
    match item {
        Item::Inst(Flow::Branch(to)) => Control::MayGoTo(vec![to.into()]),
        Item::Inst(Flow::Jump(to)) => Control::GoesTo(vec![to.into()]),
        Item::Inst(Flow::Indirect | Flow::Return) => Control::GoesTo(vec![]),
        Item::Inst(Flow::Next | Flow::Call) | Item::Label(_) | Item::Phi(_) => Control::Next,
    }
}

fn outline_phi(listing: &impl Listing, item: usize) -> OutlinePhi {
    let name =
        if let Item::Phi(name) = listing.item(item) { name.into() } else { SmolStr::default() };
    let mut inputs = Vec::new();
    listing.phi_inputs(item, |pred, _| inputs.push(pred.into()));
    OutlinePhi { name, inputs }
}

/// What phis read, by the ends of the edge that they read it on; sorted.
fn phi_reads(
    listing: &impl Listing,
    blocks: &[Part],
    numbers: &FxHashMap<&str, Block>,
) -> Vec<((Block, Block), Value)> {
    let mut reads = Vec::new();
    for (index, part) in blocks.iter().enumerate() {
        for phi in part.phis..part.insts {
            listing.phi_inputs(phi, |pred, value| {
                let edge = numbers.get(pred).map(|&from| (from, Block::new(index)));
                reads.extend(edge.zip(value));
            });
        }
    }
    reads.sort_unstable();
    reads
}
