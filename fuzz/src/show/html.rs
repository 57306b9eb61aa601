//! Pages that need nothing else: the drawing, and the text below it.

use super::picture::Picture;
use super::svg::{self, escape};

const STYLE: &str = "\
body{font:15px/1.45 system-ui,sans-serif;margin:1.5rem;color:#1f2328;background:#fff}\
h1{font-size:1.35rem}h2{font-size:1.05rem;margin-top:1.6rem}\
pre{background:#f6f8fa;padding:.8rem;overflow:auto;font:13px/1.4 monospace}\
.d{overflow:auto;border:1px solid #d0d7de}table{border-collapse:collapse}\
th,td{text-align:left;vertical-align:top;padding:.15rem 1rem .15rem 0}code{font:13px monospace}";

/// A page with a title and finished parts.
pub(super) fn page(title: &str, parts: &[String]) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n\
         <style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n{}\n</body></html>\n",
        parts.join("\n")
    )
}

/// The drawing, or why there is none.
pub(super) fn drawing(pictures: &[Picture]) -> String {
    match svg::render(pictures) {
        Ok(svg) => format!("<div class=\"d\">{svg}</div>"),
        Err(error) => format!("<p>No drawing: {}.</p>", escape(&error.to_string())),
    }
}

/// A text as it stands.
pub(super) fn listing(heading: &str, text: &str) -> String {
    format!("<h2>{}</h2>\n<pre>{}</pre>", escape(heading), escape(text))
}
