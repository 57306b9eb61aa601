//! Labels, and the places where code names them: how long each becomes, and the final bytes.
//!
//! While code is emitted, a place that names a label ([`Site`]) takes no bytes; its length depends on how
//! far away the label comes to lie. [`Sites::link`] first takes every site for as long as it can get,
//! so that all distances are bounds from above, and then shortens what reaches its label even so; shorter
//! sites bring labels nearer, so it does that again, [`ROUNDS`] times at most. A site is short only where
//! that provably reaches, and the cost is linear however long the code.

use super::asm::{Asm, BRANCH_REACH, JUMP_REACH, T0, X, ZERO, split};
use super::{AssembleError, MOST_CODE_BYTES};
use crate::machine::Cond;

/// How often sites are shortened.
const ROUNDS: usize = 4;

/// The data that follows the code starts at a multiple of this, in bytes: it can be mapped with
/// rights of its own.
pub(super) const PAGE: u32 = 4096;

/// A place in code, by number.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Label(u32);

impl Label {
    /// The label `index` after this one; labels that are made together follow one another.
    pub(super) fn plus(self, index: u32) -> Label {
        Label(self.0 + index)
    }
}

/// What a site does with its label.
#[derive(Copy, Clone, Debug)]
enum SiteKind {
    /// Goes there, and leaves the way back in the register: `ra` for a call, else zero.
    Jump(X),
    /// Goes there if the condition holds.
    Branch(Cond, X, X),
    /// Puts its address in the register.
    Address(X),
}

#[derive(Copy, Clone, Debug)]
enum Target {
    Label(Label),
    /// This many bytes from the start of the data.
    Data(u32),
}

#[derive(Copy, Clone, Debug)]
struct Site {
    /// Where it stands, in bytes of code without sites.
    at: u32,
    kind: SiteKind,
    target: Target,
}

/// Where a label stands.
#[derive(Copy, Clone, Debug, Default)]
struct Place {
    /// In bytes of code without sites.
    at: u32,
    /// How many sites stand before it.
    sites: u32,
}

/// Code with labels.
pub(super) struct Sites {
    /// Instructions that name no label are emitted here.
    pub(super) asm: Asm,
    labels: Vec<Place>,
    sites: Vec<Site>,
}

/// Code whose every site is in place.
pub(super) struct Linked {
    pub(super) code: Vec<u8>,
    labels: Vec<Place>,
    before: Vec<u32>,
}

impl Linked {
    /// Where a label is, in bytes from the start of the code.
    pub(super) fn offset(&self, label: Label) -> u32 {
        offset(self.labels[label.0 as usize], &self.before)
    }
}

impl Sites {
    /// For about this many instructions.
    pub(super) fn for_instructions(count: usize) -> Sites {
        Sites {
            asm: Asm::with_capacity(8 * count),
            labels: Vec::with_capacity(count / 4),
            sites: Vec::with_capacity(count / 4),
        }
    }

    /// A number of labels that follow one another; the first of them. Each is to be bound.
    pub(super) fn labels(&mut self, count: usize) -> Label {
        let first = Label(self.labels.len() as u32);
        self.labels.resize(self.labels.len() + count, Place::default());
        first
    }

    /// The label stands here.
    pub(super) fn bind(&mut self, label: Label) {
        let sites = self.sites.len() as u32;
        self.labels[label.0 as usize] = Place { at: self.asm.len() as u32, sites };
    }

    /// Goes to the label, and leaves the way back in `link`.
    pub(super) fn jump(&mut self, link: X, to: Label) {
        self.add(SiteKind::Jump(link), Target::Label(to));
    }

    /// Goes to the label if the condition holds.
    pub(super) fn branch(&mut self, cond: Cond, a: X, b: X, to: Label) {
        self.add(SiteKind::Branch(cond, a, b), Target::Label(to));
    }

    /// Puts the label's address in `rd`.
    pub(super) fn address(&mut self, rd: X, of: Label) {
        self.add(SiteKind::Address(rd), Target::Label(of));
    }

    /// Puts the address of a byte of the data in `rd`.
    pub(super) fn data_address(&mut self, rd: X, offset: u32) {
        self.add(SiteKind::Address(rd), Target::Data(offset));
    }

    fn add(&mut self, kind: SiteKind, target: Target) {
        self.sites.push(Site { at: self.asm.len() as u32, kind, target });
    }

    /// # Errors
    /// When there is more code than an image holds.
    pub(super) fn check_length(&self) -> Result<(), AssembleError> {
        let most = self.asm.len() + self.sites.len() * usize::from(LONGEST);
        if most <= MOST_CODE_BYTES { Ok(()) } else { Err(AssembleError::TooMuchCode) }
    }

    /// Puts every site in place.
    ///
    /// # Errors
    /// When there is more code than an image holds.
    pub(super) fn link(self) -> Result<Linked, AssembleError> {
        self.check_length()?;
        let lengths = self.lengths();
        let before = sums(&lengths);
        let total = self.asm.len() as u32 + before[self.sites.len()];
        let data = total.next_multiple_of(PAGE);
        let mut out = Asm::with_capacity(total as usize);
        let mut copied = 0;
        for (index, (site, &length)) in self.sites.iter().zip(&lengths).enumerate() {
            out.extend(&self.asm.bytes()[copied..site.at as usize]);
            copied = site.at as usize;
            let distance = self.distance(index, &before, data);
            place(&mut out, site.kind, length, distance as i32);
        }
        out.extend(&self.asm.bytes()[copied..]);
        Ok(Linked { code: out.into_bytes(), labels: self.labels, before })
    }

    /// How many bytes each site takes.
    fn lengths(&self) -> Vec<u8> {
        let mut lengths: Vec<u8> = self.sites.iter().map(|site| longest(site.kind)).collect();
        for _ in 0..ROUNDS {
            let before = sums(&lengths);
            let mut changed = false;
            for (index, length) in lengths.iter_mut().enumerate() {
                let site = self.sites[index];
                // The data is not needed: an address is of one length always.
                let needed = needed(site.kind, self.distance(index, &before, 0), *length);
                changed |= needed < *length;
                *length = needed.min(*length);
            }
            if !changed {
                break;
            }
        }
        lengths
    }

    /// From a site to its target, in bytes.
    fn distance(&self, index: usize, before: &[u32], data: u32) -> i64 {
        let site = &self.sites[index];
        let from = i64::from(site.at) + i64::from(before[index]);
        let to = match site.target {
            Target::Label(label) => i64::from(offset(self.labels[label.0 as usize], before)),
            Target::Data(offset) => i64::from(data) + i64::from(offset),
        };
        to - from
    }
}

fn offset(place: Place, before: &[u32]) -> u32 {
    place.at + before[place.sites as usize]
}

/// The bytes of all sites before each, and at the end of all.
fn sums(lengths: &[u8]) -> Vec<u32> {
    let mut sum = 0;
    let mut before = Vec::with_capacity(lengths.len() + 1);
    before.push(0);
    before.extend(lengths.iter().map(|&length| {
        sum += u32::from(length);
        sum
    }));
    before
}

/// The longest that any site gets.
const LONGEST: u8 = 12;

fn longest(kind: SiteKind) -> u8 {
    match kind {
        SiteKind::Branch(..) => LONGEST,
        SiteKind::Jump(_) | SiteKind::Address(_) => 8,
    }
}

/// The bytes that reach over this distance, measured while the site takes `length` bytes. One that gets
/// shorter brings what stands behind it nearer. What follows an inverted branch starts 4 bytes later.
fn needed(kind: SiteKind, distance: i64, length: u8) -> u8 {
    let within = |reach: i64, distance: i64| (-reach..reach).contains(&distance);
    let at_length = |other: i64| match distance {
        ..=0 => distance,
        _ => distance - i64::from(length) + other,
    };
    match kind {
        SiteKind::Address(_) => 8,
        SiteKind::Jump(_) if within(JUMP_REACH, at_length(4)) => 4,
        SiteKind::Jump(_) => 8,
        SiteKind::Branch(..) if within(BRANCH_REACH, at_length(4)) => 4,
        SiteKind::Branch(..) if within(JUMP_REACH, at_length(8) - 4) => 8,
        SiteKind::Branch(..) => LONGEST,
    }
}

fn place(out: &mut Asm, kind: SiteKind, length: u8, distance: i32) {
    match (kind, length) {
        (SiteKind::Jump(link), 4) => out.jal(link, distance),
        (SiteKind::Jump(link), _) => far_jump(out, link, distance),
        (SiteKind::Branch(cond, a, b), 4) => out.branch(cond, a, b, distance),
        (SiteKind::Branch(cond, a, b), 8) => {
            out.branch(cond.inverse(), a, b, 8);
            out.jal(ZERO, distance - 4);
        }
        (SiteKind::Branch(cond, a, b), _) => {
            out.branch(cond.inverse(), a, b, 12);
            far_jump(out, ZERO, distance - 4);
        }
        (SiteKind::Address(rd), _) => {
            let (upper, low) = split(distance);
            out.auipc(rd, upper);
            out.addi(rd, rd, low);
        }
    }
}

/// A call's way back is free to hold the address first.
fn far_jump(out: &mut Asm, link: X, distance: i32) {
    let (upper, low) = split(distance);
    let holder = if link == ZERO { T0 } else { link };
    out.auipc(holder, upper);
    out.jalr(link, holder, low);
}

#[cfg(test)]
mod tests;
