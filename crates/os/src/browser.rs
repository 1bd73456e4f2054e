//! Showing an address to whoever sits at this machine.

/// Opens the address in a browser where there is one; where it cannot be started, the address that
/// was printed has to do.
pub fn open(url: &str) {
    // Without a screen the opener may take a text browser into the terminal the server runs in.
    let headless = cfg!(all(unix, not(target_os = "macos")))
        && ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .all(|name| std::env::var_os(name).is_none_or(|value| value.is_empty()));
    if !headless {
        show(url);
    }
}

#[cfg(any(unix, windows))]
fn show(url: &str) {
    let _ = open::that_detached(url);
}

#[cfg(not(any(unix, windows)))]
fn show(_: &str) {}
