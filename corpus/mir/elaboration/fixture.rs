#![crate_type = "lib"]
pub struct R(u32);
impl Drop for R { fn drop(&mut self) {} }
pub enum E { A(R), B(R, R), C }
pub fn pick(e: E) -> R { match e { E::A(r) => r, E::B(_, s) => s, E::C => R(0) } }
