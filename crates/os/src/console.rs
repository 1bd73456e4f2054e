//! The window a program's text stands in.

/// Whether a window was opened for this program alone, and closes with it: somebody double-clicked it,
/// and nobody typed a command. Never so on systems that open no windows for programs in a terminal.
pub fn is_own_window() -> bool {
    use std::io::IsTerminal;
    std::io::stdin().is_terminal() && imp::is_alone()
}

#[cfg(windows)]
mod imp {
    #![allow(unsafe_code)]

    use windows_sys::Win32::System::Console::GetConsoleProcessList;

    /// Whether nobody else, such as a shell, is attached to the console.
    pub(super) fn is_alone() -> bool {
        let mut processes = [0; 2];
        // SAFETY: the list has room for as many numbers as the call is told.
        let count = unsafe { GetConsoleProcessList(processes.as_mut_ptr(), 2) };
        count == 1
    }
}

#[cfg(not(windows))]
mod imp {
    pub(super) fn is_alone() -> bool {
        false
    }
}
