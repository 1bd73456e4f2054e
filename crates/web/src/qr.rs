//! Addresses for the camera of a phone: QR codes as text for a terminal and as pictures for the page.

use qrcode::{Color, EcLevel, QrCode};
use std::fmt::Write;

/// Longest text that still makes a code a camera reads from a screen.
const LONGEST: usize = 400;

/// Light modules around a code, without which it is not found.
const QUIET: usize = 4;

fn code(text: &str) -> Result<QrCode, String> {
    if text.is_empty() || text.len() > LONGEST {
        return Err(format!("text: expected 1 to {LONGEST} bytes for a QR code"));
    }
    QrCode::with_error_correction_level(text, EcLevel::L).map_err(|e| e.to_string())
}

/// Whether there is a dark module, counted from the edge of the quiet zone.
fn dark(code: &QrCode, x: usize, y: usize) -> bool {
    let (x, y) = (x.wrapping_sub(QUIET), y.wrapping_sub(QUIET));
    x < code.width() && y < code.width() && code[(x, y)] == Color::Dark
}

/// Two rows of modules in a row of half blocks. Light modules are drawn: terminals are mostly dark, and on a light
/// one the code is inverted, which cameras read as well.
pub(crate) fn text(text: &str) -> Result<String, String> {
    let code = code(text)?;
    let size = code.width() + 2 * QUIET;
    let mut drawn = String::new();
    for y in (0..size).step_by(2) {
        for x in 0..size {
            let lower = y + 1 < size && !dark(&code, x, y + 1);
            drawn.push(match (!dark(&code, x, y), lower) {
                (true, true) => '█',
                (true, false) => '▀',
                (false, true) => '▄',
                (false, false) => ' ',
            });
        }
        drawn.push('\n');
    }
    Ok(drawn)
}

/// A picture, dark on white whatever the colours of the page.
pub(crate) fn svg(text: &str) -> Result<String, String> {
    let code = code(text)?;
    let size = code.width() + 2 * QUIET;
    let mut path = String::new();
    for y in 0..size {
        for x in (0..size).filter(|&x| dark(&code, x, y)) {
            // Writing into memory does not fail.
            let _ = write!(path, "M{x} {y}h1v1h-1z");
        }
    }
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" shape-rendering=\"crispEdges\">\
         <path fill=\"#fff\" d=\"M0 0h{size}v{size}h-{size}z\"/><path d=\"{path}\"/></svg>"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_corners_and_a_quiet_zone() {
        let drawn =
            text("http://192.168.0.7:8088/?token=abcdefghijklmnopqrstuvwxyz012345").unwrap();
        let rows: Vec<Vec<char>> = drawn.lines().map(|line| line.chars().collect()).collect();
        let width = rows[0].len();
        assert!(rows.iter().all(|row| row.len() == width), "square");
        assert!(rows[0].iter().chain(&rows[1]).all(|&c| c == '█'), "four light rows");
        // The finder of the upper left corner: seven dark modules, then a light one.
        assert_eq!(rows[2][QUIET..QUIET + 8], [' ', '▄', '▄', '▄', '▄', '▄', ' ', '█']);
        let picture = svg("x").unwrap();
        assert!(picture.contains("viewBox=\"0 0 29 29\"") && picture.contains("M4 4h1v1h-1z"));
    }

    #[test]
    fn what_no_camera_reads_is_refused() {
        assert!(text("").is_err() && svg(&"x".repeat(LONGEST + 1)).is_err());
        assert!(svg(&"x".repeat(LONGEST)).is_ok());
    }
}
