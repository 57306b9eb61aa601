//! The worked examples of `corpus/filetests/drops`, as rustc is asked about them.
//!
//! A function is named as the filetest that it is the source of. Above it stands which classes the drops of a
//! variable have, in the order of the blocks that are no cleanup: one for each scope's end and for each
//! assignment that replaces a value. `cleanup` are those of the cleanup blocks.
#![crate_type = "lib"]

pub struct R(pub u32);

impl Drop for R {
    fn drop(&mut self) {}
}

fn take(_: R) {}
fn look(_: &R) {}
fn go() -> bool {
    false
}

// p: conditional
pub fn moved_on_one_branch(c: bool) {
    let p = R(1);
    if c {
        take(p);
    }
}

// p: static
pub fn still_initialized(c: bool) {
    let p = R(1);
    if c {
        look(&p);
    }
}

// p: dead
pub fn moved_on_both(c: bool) {
    let p = R(1);
    if c {
        take(p);
    } else {
        take(p);
    }
}

// p: dead, static
pub fn early_return(c: bool) {
    let p = R(1);
    if c {
        take(p);
        return;
    }
    look(&p);
}

// p: dead, static
pub fn loop_with_reinitialization() {
    let mut p = R(0);
    while go() {
        take(p);
        p = R(1);
    }
}

// p: conditional
pub fn nested_loops_with_a_conditional_move() {
    while go() {
        let p = R(1);
        while go() {
            if go() {
                take(p);
                break;
            }
        }
    }
}

// p: dead, conditional
pub fn reinitialized_on_one_branch(c: bool) {
    let mut p = R(1);
    take(p);
    if c {
        p = R(2);
    }
}

// p: dead, dead, static
pub fn declared_only(c: bool) {
    let p;
    if c {
        return;
    }
    p = R(1);
    look(&p);
}

// p: open
pub fn partial_move(c: bool) {
    let p = (R(1), R(2));
    if c {
        take(p.0);
    }
}

// p: dead
// p cleanup: dead
pub fn unwinding_out_of_a_call() {
    let p = R(1);
    take(p);
}

// p: dead
// a: dead, conditional
// b: dead, conditional
pub fn into_two_destinations(c: bool) {
    let p = R(1);
    let a;
    let b;
    if c {
        a = p;
        look(&a);
    } else {
        b = p;
        look(&b);
    }
}
