//! What checks measure besides judging: sums over cases, by what they are of and what they count.
//!
//! They say how good an answer is, where a verdict says whether it is right.

use backedge_core::machine::reg::MOST_REGISTERS;
use std::cmp::Ordering;

/// What is counted.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Count {
    /// Functions that were allocated.
    Functions,
    /// Their instructions in the IR, terminators included.
    Instructions,
    /// Their instructions in Machine IR before allocation, terminators included.
    MachineInstructions,
    /// Stores to spill slots that the allocator put in.
    Spills,
    /// Loads from spill slots that it put in.
    Reloads,
    /// Copies between registers that are left or that it put in.
    Moves,
    /// Callee-saved registers that are saved.
    Saved,
    /// Bytes of spill slots.
    SpillBytes,
    /// Runs that were compared.
    Runs,
    /// Instructions of the IR that they carried out, terminators included.
    Steps,
    /// Instructions of the machine that they carried out.
    MachineSteps,
    /// Bytes of machine code.
    CodeBytes,
    /// Blocks that the entry of the function that is run reaches.
    Blocks,
    /// Those among them that some tape of the case gets to.
    BlocksCovered,
    /// Edges between those blocks.
    Edges,
    /// Those among them that some tape takes.
    EdgesCovered,
    /// Drops of what is initialized always.
    StaticDrops,
    /// Drops of what never is.
    DeadDrops,
    /// Drops of what is or is not as a whole.
    ConditionalDrops,
    /// Drops of what may be in part.
    OpenDrops,
    /// Drops that control never gets to.
    UnclassifiedDrops,
    /// Copies between integers, arguments of edges among them, where the entry reaches.
    Copies,
    /// Those among them whose two locals are one after a pass.
    CopiesMerged,
    /// Copies that a pass left, of all types and everywhere.
    CopiesRefused,
    /// Points before instructions, terminators among them.
    Points,
    /// Those among them where merges left less live than was live before.
    StrictPoints,
    /// Functions that were structurized.
    Structurized,
    /// Their blocks.
    StructurizedBlocks,
    /// Nodes of their structured forms, instructions included.
    StructuredNodes,
    /// Loops in them.
    StructuredLoops,
    /// Blocks of what they were lowered to.
    LoweredBlocks,
}

impl Count {
    /// Every count, in order.
    pub const ALL: [Count; 31] = {
        use Count::*;
        [
            Functions,
            Instructions,
            MachineInstructions,
            Spills,
            Reloads,
            Moves,
            Saved,
            SpillBytes,
            Runs,
            Steps,
            MachineSteps,
            CodeBytes,
            Blocks,
            BlocksCovered,
            Edges,
            EdgesCovered,
            StaticDrops,
            DeadDrops,
            ConditionalDrops,
            OpenDrops,
            UnclassifiedDrops,
            Copies,
            CopiesMerged,
            CopiesRefused,
            Points,
            StrictPoints,
            Structurized,
            StructurizedBlocks,
            StructuredNodes,
            StructuredLoops,
            LoweredBlocks,
        ]
    };

    /// The name in a report.
    pub fn name(self) -> &'static str {
        match self {
            Count::Functions => "functions",
            Count::Instructions => "instructions",
            Count::MachineInstructions => "machine_instructions",
            Count::Spills => "spills",
            Count::Reloads => "reloads",
            Count::Moves => "moves",
            Count::Saved => "saved",
            Count::SpillBytes => "spill_bytes",
            Count::Runs => "runs",
            Count::Steps => "steps",
            Count::MachineSteps => "machine_steps",
            Count::CodeBytes => "code_bytes",
            Count::Blocks => "blocks",
            Count::BlocksCovered => "blocks_covered",
            Count::Edges => "edges",
            Count::EdgesCovered => "edges_covered",
            Count::StaticDrops => "static_drops",
            Count::DeadDrops => "dead_drops",
            Count::ConditionalDrops => "conditional_drops",
            Count::OpenDrops => "open_drops",
            Count::UnclassifiedDrops => "unclassified_drops",
            Count::Copies => "copies",
            Count::CopiesMerged => "copies_merged",
            Count::CopiesRefused => "copies_refused",
            Count::Points => "points",
            Count::StrictPoints => "strict_points",
            Count::Structurized => "structurized",
            Count::StructurizedBlocks => "structurized_blocks",
            Count::StructuredNodes => "structured_nodes",
            Count::StructuredLoops => "structured_loops",
            Count::LoweredBlocks => "lowered_blocks",
        }
    }
}

/// What sums of an allocator with so many registers are of: its name alone if it may use all.
pub fn configuration(allocator: &str, registers: usize) -> String {
    match registers {
        MOST_REGISTERS => allocator.to_owned(),
        _ => format!("{allocator}, {registers} registers"),
    }
}

/// What sums of a part are of: `saved: source-live`.
pub fn part(pass: &str, part: &str) -> String {
    format!("{pass}: {part}")
}

/// Sums. `of` is an allocator or a pass of the subject, a part of that such as a reason, or empty where
/// the whole subject or case is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// Sorted by what is counted of what.
    sums: Vec<(String, Count, u64)>,
}

impl Measures {
    /// Adds to a sum.
    pub fn add(&mut self, of: &str, count: Count, amount: u64) {
        let place = |(name, known, _): &(String, Count, u64)| -> Ordering {
            (name.as_str(), *known).cmp(&(of, count))
        };
        match self.sums.binary_search_by(place) {
            Ok(at) => self.sums[at].2 += amount,
            Err(at) => self.sums.insert(at, (of.to_owned(), count, amount)),
        }
    }

    /// Adds all sums of others.
    pub fn merge(&mut self, other: &Measures) {
        other.iter().for_each(|(of, count, sum)| self.add(of, count, sum));
    }

    /// The sums, by what they are of and what they count.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Count, u64)> {
        self.sums.iter().map(|(of, count, sum)| (of.as_str(), *count, *sum))
    }

    /// One sum.
    pub fn get(&self, of: &str, count: Count) -> u64 {
        let found = self.iter().find(|(name, known, _)| (*name, *known) == (of, count));
        found.map_or(0, |(_, _, sum)| sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_kept_apart_by_what_they_are_of() {
        let mut sums = Measures::default();
        sums.add("b", Count::Spills, 2);
        sums.add("a", Count::Spills, 3);
        sums.add("b", Count::Spills, 5);
        let mut other = Measures::default();
        other.add("a", Count::Moves, 1);
        sums.merge(&other);
        let all: Vec<_> = sums.iter().collect();
        assert_eq!(all, [("a", Count::Spills, 3), ("a", Count::Moves, 1), ("b", Count::Spills, 7)]);
        assert_eq!(sums.get("b", Count::Moves), 0);
    }

    #[test]
    fn counts_are_listed_in_order_under_distinct_names() {
        assert!(Count::ALL.is_sorted());
        let mut names: Vec<_> = Count::ALL.iter().map(|count| count.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Count::ALL.len());
    }
}
