//! Expands a seed into bytes, so that a seed and a fuzzer's bytes share all that follows.

/// SplitMix64 (Steele, Lea and Flood, 2014): a counter through a mixing function. Every seed has a
/// sequence of its own of full period.
#[derive(Clone, Debug)]
pub(super) struct SplitMix(u64);

impl SplitMix {
    /// The sequence of this seed.
    pub(super) fn new(seed: u64) -> SplitMix {
        SplitMix(seed)
    }

    /// The next 64 bits.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// `len` bytes.
    pub(super) fn bytes(&mut self, len: usize) -> Vec<u8> {
        let words = len.div_ceil(8);
        let mut bytes = Vec::with_capacity(words * 8);
        for _ in 0..words {
            bytes.extend_from_slice(&self.next().to_le_bytes());
        }
        bytes.truncate(len);
        bytes
    }
}

/// Mixes 64 bits so that neighbouring numbers have nothing in common. It is a bijection.
pub(super) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published first outputs of the sequence of seed 1234567.
    #[test]
    fn is_split_mix() {
        let mut sequence = SplitMix::new(1_234_567);
        let first = [(); 3].map(|()| sequence.next());
        assert_eq!(first, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
    }

    #[test]
    fn gives_the_bytes_asked_for() {
        assert_eq!(SplitMix::new(7).bytes(13).len(), 13);
        assert_eq!(SplitMix::new(7).bytes(13), SplitMix::new(7).bytes(16)[..13]);
        assert_ne!(SplitMix::new(7).bytes(8), SplitMix::new(8).bytes(8));
    }
}
