//! A coroutine, for MIR as it is before coroutines and drops are lowered. See `README.md`.
#![feature(coroutines, coroutine_trait)]

use std::ops::Coroutine;

pub fn counts(text: String) -> impl Coroutine<u32, Yield = String, Return = usize> {
    #[coroutine]
    move |mut left: u32| {
        let pair = (text, vec![1u8]);
        let held = pair.0.clone();
        if left > 9 {
            drop(pair.0);
        }
        while left > 0 {
            let next = format!("{held}{left}");
            left = yield next.clone();
            match next.as_str() {
                "" if left == 3 => return 1,
                _ => drop(next),
            }
        }
        held.len()
    }
}
