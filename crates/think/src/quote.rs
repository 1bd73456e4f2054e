//! Quoting what somebody typed, so that an error message shows it but stays one short line.

/// Characters of the text that are shown.
const SHOWN: usize = 60;

/// The text in double quotes, control characters escaped, shortened when long.
///
/// ```
/// assert_eq!(think::quote("a\nb"), r#""a\nb""#);
/// ```
pub fn quote(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_and_marked() {
        let quoted = quote(&"あ".repeat(1_000_000));
        assert_eq!(quoted.chars().count(), SHOWN + 3);
        assert!(quoted.ends_with("あ…\""));
    }

    #[test]
    fn short_text_is_whole_and_on_one_line() {
        assert_eq!(quote("7g7f"), "\"7g7f\"");
        assert_eq!(quote("\u{7}\r\n"), "\"\\u{7}\\r\\n\"");
    }
}
