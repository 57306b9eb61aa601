//! Code whose MIR has one of everything. See `README.md` beside this file.
#![allow(dead_code, unused_variables)]

use std::fmt::Debug;
use std::sync::Arc;

pub const PLAIN: u32 = 7;
pub const SUM: usize = {
    let mut i = 0;
    while i < 10 {
        i += 3;
    }
    i
};
pub static GREETING: &str = "a -> [return: bb1, unwind: bb2] { } // \";";
pub static TABLE: [fn(u64) -> u64; 2] = [fibonacci, double];

pub const fn double(x: u64) -> u64 {
    x * 2
}

pub fn fibonacci(n: u64) -> u64 {
    if n < 2 { n } else { fibonacci(n - 1) + fibonacci(n - 2) }
}

pub struct Noisy(pub String);

impl Drop for Noisy {
    fn drop(&mut self) {
        println!("bye {}", self.0);
    }
}

pub struct Pair {
    pub first: Noisy,
    pub second: Noisy,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Unit,
    Tuple(String, u8),
    Named { _1: Vec<u8>, r#move: Option<Box<Shape>> },
}

/// Literals that look like code.
pub fn literals(c: char, s: &str) -> bool {
    match c {
        '{' | '}' | '"' | '\'' | ';' => return true,
        'a'..='z' => {}
        _ => {}
    }
    let bytes = b"bytes \" \\ \x00 ] -> [return: bb0]";
    s == "move _1, (copy _2) -> bb3; } // not a comment" || bytes.len() == s.len()
}

/// A drop flag, and a part that is moved out.
pub fn conditional(flag: bool, pair: Pair) -> Option<Noisy> {
    let kept;
    if flag {
        kept = pair.first;
        Some(kept)
    } else {
        drop(pair.second);
        None
    }
}

/// Nested loops with labels, and a match with guards.
pub fn nested(shapes: Vec<Shape>, k: usize) -> usize {
    let mut n = 0;
    'outer: for (i, shape) in shapes.iter().enumerate() {
        for j in 0..k {
            if j == i {
                continue 'outer;
            }
            match shape {
                Shape::Unit => break 'outer,
                Shape::Tuple(text, 3) if text.len() > j => n += text.len(),
                Shape::Tuple(..) => n ^= 1,
                Shape::Named { _1, .. } => n += _1[j] as usize,
            }
        }
    }
    n
}

/// Indices, slices, and patterns of them.
pub fn slices(array: [u32; 8], i: usize, slice: &mut [u32]) -> u32 {
    let [x, .., y] = array;
    if let [first, middle @ .., last] = slice {
        *first += *last;
        if let [one] = middle {
            *one = 3;
        }
    }
    slice[i] = array[i] + [i as u32; 4][i % 4];
    x + y
}

pub fn wide(a: u128, b: i64) -> u128 {
    match a {
        0 => 1,
        0xffff_ffff_ffff_ffff_ffff => 2,
        u128::MAX => 3,
        _ if b == -1 => a << 100,
        _ => match b {
            -1 | i64::MIN => 4,
            _ => b as u128,
        },
    }
}

/// Calls through pointers, trait objects and closures.
pub fn dynamic(f: &dyn Fn(u64) -> u64, g: Box<dyn FnOnce(String) -> usize>) -> usize {
    let pointer: fn(u64) -> u64 = TABLE[0];
    let offset = f(1);
    g(format!("{} {:?}", pointer(2), (offset, pointer as usize)))
}

pub fn generic<T: Clone + Debug, const N: usize, F>(xs: [T; N], f: F) -> Vec<(T, [u8; 4])>
where
    F: Fn(&T) -> Option<T>,
{
    xs.iter().filter_map(|x| f(x)).map(|x| (x, [0; 4])).collect()
}

pub async fn waits(text: String, shared: Arc<Shape>) -> Result<u32, std::num::ParseIntError> {
    let mut text = text.clone();
    for _ in 0..3 {
        pushes(&mut text).await;
    }
    text.parse()
}

async fn pushes(text: &mut String) {
    text.push('x');
}

/// # Safety
/// The pointers are valid for `n` words.
pub unsafe fn raw(to: *mut u32, from: *const u32, n: usize) -> isize {
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, n);
        std::hint::assert_unchecked(n > 0);
        *to = 3;
        (&raw const *from).offset_from(to)
    }
}

#[cfg(target_arch = "x86_64")]
pub fn assembly(x: u64) -> u64 {
    let mut y = x;
    let z: u64;
    unsafe {
        std::arch::asm!(
            "add {0}, {1}", "# }} \" -> [return: bb1];", "nop",
            inout(reg) y, in(reg) x, options(nomem, nostack)
        );
        std::arch::asm!("mov {a}, {b}", a = out(reg) z, b = const 5, out("rcx") _);
        std::arch::asm!("test {0}, {0}", "jz {1}", in(reg) x, label { y = 3; });
    }
    y + z
}

pub fn dies(x: u32, noisy: Noisy) -> ! {
    if x > 3 {
        panic!("dead {x}")
    }
    std::process::exit(x as i32)
}
