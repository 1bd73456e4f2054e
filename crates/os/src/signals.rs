//! Ctrl-C, and requests to end.

use std::io;

/// Does something at every interrupt from the keyboard, in a thread of its own. One handler for the whole
/// program; an error where there is one already, or where nothing can be heard.
pub fn on_interrupt(handler: impl FnMut() + Send + 'static) -> io::Result<()> {
    imp::on_interrupt(handler)
}

/// Does something whenever the program is asked to end: interrupted, terminated by `kill`, or, on Windows,
/// its window closed. In a thread of its own.
pub fn on_termination(handler: impl FnMut() + Send + 'static) -> io::Result<()> {
    imp::on_termination(handler)
}

#[cfg(unix)]
mod imp {
    #![allow(unsafe_code)]

    use rustix::process::Signal;
    use std::io::{self, Read, Write};
    use std::sync::Arc;

    pub(super) fn on_interrupt(handler: impl FnMut() + Send + 'static) -> io::Result<()> {
        ctrlc::set_handler(handler).map_err(io::Error::other)
    }

    pub(super) fn on_termination(mut handler: impl FnMut() + Send + 'static) -> io::Result<()> {
        let (mut requests, told) = io::pipe()?;
        let told = Arc::new(told);
        for signal in [Signal::TERM, Signal::INT] {
            let told = Arc::clone(&told);
            let action = move || {
                // Nobody reads it any more: nobody is to be told.
                let _ = (&*told).write(&[0]);
            };
            // SAFETY: the action is one `write` to a pipe, which may be called in a signal handler.
            unsafe { signal_hook_registry::register(signal.as_raw(), action) }?;
        }
        let hear = move || {
            let mut request = [0];
            while requests.read_exact(&mut request).is_ok() {
                handler();
            }
        };
        std::thread::Builder::new().name("signals".to_owned()).spawn(hear).map(|_| ())
    }
}

#[cfg(windows)]
mod imp {
    use std::io;

    /// Windows has one kind for all of them: Ctrl-C, Ctrl-Break, the window closed, the user gone.
    pub(super) fn on_interrupt(handler: impl FnMut() + Send + 'static) -> io::Result<()> {
        ctrlc::try_set_handler(handler).map_err(io::Error::other)
    }

    pub(super) fn on_termination(handler: impl FnMut() + Send + 'static) -> io::Result<()> {
        on_interrupt(handler)
    }
}

#[cfg(not(any(unix, windows)))]
mod imp {
    use std::io;

    pub(super) fn on_interrupt(_: impl FnMut() + Send + 'static) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn on_termination(_: impl FnMut() + Send + 'static) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
