//! Renders diagnostics: file, line, column, underlined source.
