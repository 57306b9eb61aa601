//! Spill slots: values whose lifetimes are apart share one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bytes of a slot.
pub(super) const SLOT_BYTES: u32 = 8;

/// A value to be given a slot from `start` up to but not including `end`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Stay {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Gives every stay the byte offset of a slot that no other has at the same time: as few slots as there
/// are stays at one point, in time `n log n`. The second result is the size of them all.
pub(super) fn assign(stays: &[Stay]) -> (Vec<u32>, u32) {
    let mut order: Vec<usize> = (0..stays.len()).collect();
    order.sort_by_key(|&index| (stays[index].start, stays[index].end));
    let mut offsets = vec![0; stays.len()];
    // By end: slots in use. By offset: slots that were given back.
    let mut taken: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
    let mut free: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
    let mut size = 0;
    for index in order {
        while let Some(&Reverse((end, offset))) = taken.peek()
            && end <= stays[index].start
        {
            taken.pop();
            free.push(Reverse(offset));
        }
        let offset = match free.pop() {
            Some(Reverse(offset)) => offset,
            None => {
                size += SLOT_BYTES;
                size - SLOT_BYTES
            }
        };
        offsets[index] = offset;
        taken.push(Reverse((stays[index].end, offset)));
    }
    (offsets, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_share_a_slot_only_if_they_are_apart() {
        let stays = [(0, 10), (2, 4), (4, 8), (8, 9), (10, 11), (3, 12)];
        let stays = stays.map(|(start, end)| Stay { start, end });
        let (offsets, size) = assign(&stays);
        assert_eq!(size, 24);
        assert_eq!(offsets, [0, 8, 8, 8, 0, 16]);
    }
}
