//! Says what is wrong with a graph that somebody else made, by name.
