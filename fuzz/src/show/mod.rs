//! Draws programs with their facts: text, dot, svg, html.
