//! Draws choices from bytes, a fuzzer's or a seed's.
//!
//! Drawing never fails: when the bytes run out, every further byte is zero. So zero must always be
//! the choice that ends a loop, and a loop that draws must end on zeros.
//!
//! Numbers are scaled into their range, not reduced by a modulus: a range that grows by one then
//! moves few of the choices, and a small change of the bytes stays a small change of the program.

use arbitrary::Unstructured;

/// A stream of choices.
#[derive(Debug)]
pub(super) struct Draw<'b> {
    bytes: Unstructured<'b>,
}

impl<'b> Draw<'b> {
    /// A stream that reads these bytes.
    pub(super) fn new(bytes: &'b [u8]) -> Draw<'b> {
        Draw { bytes: Unstructured::new(bytes) }
    }

    /// The next `N` bytes. One read an element, whatever the element then needs: a changed byte
    /// changes its own element and shifts no other.
    pub(super) fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        // Filling pads with zeros when the bytes run out; it has no other way to fail.
        let _ = self.bytes.fill_buffer(&mut bytes);
        bytes
    }

    /// The next byte.
    pub(super) fn byte(&mut self) -> u8 {
        let [byte] = self.array();
        byte
    }

    /// True `parts` times out of 256, and never once the bytes have run out.
    pub(super) fn chance(&mut self, parts: u8) -> bool {
        self.byte() as u16 + parts as u16 > 255
    }

    /// A number below `count`, which must not be 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        if count <= 1 << 8 {
            scale(self.byte(), count)
        } else {
            let wide = u32::from_le_bytes(self.array());
            ((wide as u64 * count as u64) >> 32) as usize
        }
    }

    /// A number from 1 to `most`, small ones more often: a quarter of `most` in the mean.
    pub(super) fn size(&mut self, most: usize) -> usize {
        let [a, b] = self.array();
        1 + ((most * a as usize * b as usize) >> 16)
    }
}

/// Scales a byte to a number below `count`, which must not be 0. Of more than 256 numbers it gives
/// every so manieth.
pub(super) fn scale(byte: u8, count: usize) -> usize {
    (byte as usize * count) >> 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_stay_in_range_and_zeros_follow_the_end() {
        let bytes: Vec<u8> = (0..=255).collect();
        for count in [1, 2, 7, 255, 256, 257, 100_000] {
            let mut draw = Draw::new(&bytes);
            assert!((0..300).all(|_| draw.below(count) < count));
            assert_eq!((draw.below(count), draw.size(count), draw.chance(255)), (0, 1, false));
        }
        let top = [255; 8];
        assert_eq!(Draw::new(&top).below(12), 11);
        assert_eq!(Draw::new(&top).below(1000), 999);
        assert_eq!(Draw::new(&top).size(1), 1);
        assert!(Draw::new(&top).size(48) <= 48);
        assert!(Draw::new(&top).chance(1) && !Draw::new(&top).chance(0));
    }
}
