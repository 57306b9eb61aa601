//! The Bril-shaped JSON that other languages read: printing, and reading `.bril.json` files.
