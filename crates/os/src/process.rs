//! A program and everything it started, ended together.

use std::io;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::process::{Child, Command};

/// A program that runs in a group of its own. An interrupt typed at the terminal does not reach it: it is
/// meant for us, who then end it.
///
/// On Windows the group is a job object, whose processes also end when we do, however that happens, and
/// when this is dropped. What the program starts in its very first moment, before it is in the job, is not in it
/// either.
#[derive(Debug)]
pub struct Running {
    child: Child,
    group: imp::Group,
}

impl Running {
    /// Starts a program.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        imp::prepare(command);
        let child = command.spawn()?;
        let group = imp::Group::of(&child);
        Ok(Self { child, group })
    }

    /// Asks the program and all it started to end. Whether that could be said; whether they do is theirs.
    pub fn ask_to_end(&mut self) -> bool {
        self.is_running() && self.group.ask_to_end(&self.child)
    }

    /// Kills the program and all it started. Nothing happens to one whose end is known already: its number
    /// may be somebody else's.
    pub fn kill_all(&mut self) {
        if self.is_running() {
            self.group.kill(&self.child);
        }
        // Fails only if it has ended already.
        let _ = self.child.kill();
    }

    fn is_running(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_none())
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.child
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.child
    }
}

/// The program that runs, to be started once more. On Linux it is this very program even if its file has been
/// replaced since, as by a new build; Windows does not let a file be replaced that runs.
pub fn this_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        let running = PathBuf::from(format!("/proc/{}/exe", std::process::id()));
        if running.exists() {
            return Ok(running);
        }
    }
    std::env::current_exe()
}

/// Lets others go first: this program, and what it starts from now on, gets what processors they leave.
/// Whether the system did so.
pub fn yield_to_others() -> bool {
    imp::yield_to_others()
}

#[cfg(unix)]
mod imp {
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    /// How much later than others: a little more than programs that set it themselves usually ask for.
    const NICE: i32 = 10;

    /// Its number is that of its first process.
    #[derive(Debug)]
    pub(super) struct Group;

    pub(super) fn prepare(command: &mut Command) {
        command.process_group(0);
    }

    impl Group {
        pub(super) fn of(_: &Child) -> Self {
            Self
        }

        pub(super) fn ask_to_end(&self, child: &Child) -> bool {
            send(child, Signal::TERM)
        }

        pub(super) fn kill(&self, child: &Child) {
            send(child, Signal::KILL);
        }
    }

    /// Fails only if nobody is left in the group.
    fn send(child: &Child, signal: Signal) -> bool {
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        group.is_some_and(|group| kill_process_group(group, signal).is_ok())
    }

    pub(super) fn yield_to_others() -> bool {
        rustix::process::nice(NICE).is_ok()
    }
}

#[cfg(windows)]
mod imp {
    #![allow(unsafe_code)]

    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use std::os::windows::process::CommandExt;
    use std::process::{Child, Command};
    use std::ptr::{from_ref, null};
    use windows_sys::Win32::System::Console::{
        CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent, GetConsoleCP,
    };
    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
        JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
        SetInformationJobObject, TerminateJobObject,
    };
    use windows_sys::Win32::System::Threading::{
        BELOW_NORMAL_PRIORITY_CLASS, CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, GetCurrentProcess,
        SetPriorityClass,
    };

    /// How a killed process ends.
    const KILLED: u32 = 1;

    /// The job, where the system let us make one.
    #[derive(Debug)]
    pub(super) struct Group(Option<OwnedHandle>);

    pub(super) fn prepare(command: &mut Command) {
        // A program of the console that finds none, as when a window of ours started it, would open one.
        let window = if has_console() { 0 } else { CREATE_NO_WINDOW };
        command.creation_flags(CREATE_NEW_PROCESS_GROUP | window);
    }

    fn has_console() -> bool {
        // SAFETY: asks for a number; without a console it is 0.
        unsafe { GetConsoleCP() != 0 }
    }

    impl Group {
        pub(super) fn of(child: &Child) -> Self {
            crate::affinity::imp::hand_on(child.as_raw_handle());
            Self(job_of(child))
        }

        /// Heard only by those who share our console.
        pub(super) fn ask_to_end(&self, child: &Child) -> bool {
            // SAFETY: a number of a process group; none of that number is an error.
            unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, child.id()) != 0 }
        }

        pub(super) fn kill(&self, _: &Child) {
            if let Some(job) = &self.0 {
                // SAFETY: the handle of a job we own.
                unsafe { TerminateJobObject(job.as_raw_handle(), KILLED) };
            }
        }
    }

    fn job_of(child: &Child) -> Option<OwnedHandle> {
        // SAFETY: no attributes, no name.
        let job = unsafe { CreateJobObjectW(null(), null()) };
        if job.is_null() {
            return None;
        }
        // SAFETY: a handle that was just made, and is nobody else's.
        let job = unsafe { OwnedHandle::from_raw_handle(job) };
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let size = size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32;
        // SAFETY: the kind says what is pointed at, and its size is told; both handles are ours.
        let made = unsafe {
            let kind = JobObjectExtendedLimitInformation;
            SetInformationJobObject(job.as_raw_handle(), kind, from_ref(&limits).cast(), size) != 0
                && AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) != 0
        };
        made.then_some(job)
    }

    pub(super) fn yield_to_others() -> bool {
        // SAFETY: the pseudo handle of this process is always valid.
        unsafe { SetPriorityClass(GetCurrentProcess(), BELOW_NORMAL_PRIORITY_CLASS) != 0 }
    }
}

#[cfg(not(any(unix, windows)))]
mod imp {
    use std::process::{Child, Command};

    #[derive(Debug)]
    pub(super) struct Group;

    pub(super) fn prepare(_: &mut Command) {}

    impl Group {
        pub(super) fn of(_: &Child) -> Self {
            Self
        }

        pub(super) fn ask_to_end(&self, _: &Child) -> bool {
            false
        }

        pub(super) fn kill(&self, _: &Child) {}
    }

    pub(super) fn yield_to_others() -> bool {
        false
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;

    /// A pipe that both hold ends only when both have ended, however long that takes.
    #[test]
    fn what_a_program_started_ends_with_it() {
        for polite in [true, false] {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", "sleep 600 & echo ready; wait"]).stdout(Stdio::piped());
            let mut running = Running::start(&mut command).unwrap();
            let mut output = BufReader::new(running.stdout.take().unwrap());
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            assert_eq!(line, "ready\n");
            if polite {
                assert!(running.ask_to_end());
            } else {
                running.kill_all();
            }
            assert_eq!(output.read(&mut [0]).unwrap(), 0, "the pipe is closed");
            assert!(!running.wait().unwrap().success());
            assert!(!running.ask_to_end(), "nobody is there");
        }
    }
}
