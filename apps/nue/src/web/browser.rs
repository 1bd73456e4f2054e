//! Showing an address to whoever sits at this machine.

use std::process::{Command, Stdio};

/// Opens the address in a browser where there is one; says nothing where there is none.
pub(super) fn open(url: &str) {
    let mut command = if cfg!(target_os = "windows") {
        let mut command = Command::new("rundll32");
        command.args(["url.dll,FileProtocolHandler", url]);
        command
    } else if cfg!(target_os = "macos") {
        let mut command = Command::new("open");
        command.arg(url);
        command
    } else {
        let screen = ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty()));
        if !screen {
            return;
        }
        let mut command = Command::new("xdg-open");
        command.arg(url);
        command
    };
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Where it cannot be started, the address that was printed has to do.
    if let Ok(mut child) = command.spawn() {
        std::thread::spawn(move || child.wait());
    }
}
