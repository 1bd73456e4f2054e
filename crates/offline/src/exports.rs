//! The board and the engine as functions of a WebAssembly module, over plain memory: texts go in and out as
//! bytes, so that no generated code stands between this room and the page's `worker` folder, which calls it.
//!
//! A text for this module is written into memory from [`allocate`]; the function that takes it frees it. A
//! text from it comes as address and length in one number and is given back with [`release`]. Everything runs
//! on the one thread of the instance.

#![allow(unsafe_code)]

use crate::task::EngineMessage;
use crate::{Board, Effect, EngineHost, Facts, Now, Request, Response};
use rules::Game;
use serde::Serialize;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::time::Duration;
use think::{Moment, TimeSource};

/// The allocator of the standard library, out of the compiler's sight. With everything optimised together it
/// would see what the allocator keeps in front of a block; as far as it knows nothing is there, so that it
/// takes for zero what was read in front of a block of zeros, and giving such a block back ended the module.
struct Unseen;

// SAFETY: every call is passed on as it is.
unsafe impl GlobalAlloc for Unseen {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: by the contract of the trait.
        unsafe { System.alloc(layout) }
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline(never)]
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(start, layout) }
    }

    #[inline(never)]
    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        unsafe { System.realloc(start, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Unseen = Unseen;

#[link(wasm_import_module = "nue")]
unsafe extern "C" {
    /// Milliseconds by a clock that never goes back. A search that is to end sees it far ahead.
    safe fn now() -> f64;
    /// Milliseconds since 1970.
    safe fn wall() -> f64;
    /// Hears what the engine says while it searches; the bytes are there during the call.
    fn tell(start: *const u8, length: usize);
}

/// The clock of the browser.
struct BrowserTime;

impl TimeSource for BrowserTime {
    fn now(&self) -> Moment {
        Duration::from_secs_f64(now().max(0.0) / 1000.0)
    }
}

fn clocks() -> Now {
    Now { at: BrowserTime.now(), wall: wall() as i64 }
}

/// Memory for a text that is going to be passed to one of the functions below.
#[unsafe(no_mangle)]
extern "C" fn allocate(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// Gives back a text that came from one of the functions below.
///
/// # Safety
/// Address and length must be those that came, once.
#[unsafe(no_mangle)]
unsafe extern "C" fn release(start: *mut u8, length: usize) {
    // SAFETY: by the contract above.
    drop(unsafe { taken(start, length) });
}

/// The bytes at an address, which are ours from now on.
///
/// # Safety
/// They came from [`allocate`] or [`given`] with that length, and nobody has taken them yet.
unsafe fn taken(start: *mut u8, length: usize) -> Box<[u8]> {
    // SAFETY: by the contract above it is a boxed slice of that length.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, length)) }
}

/// Bytes for the page: address and length in one number.
fn given(bytes: Vec<u8>) -> u64 {
    let bytes = bytes.into_boxed_slice();
    let length = bytes.len() as u64;
    let start = Box::into_raw(bytes).cast::<u8>() as usize as u64;
    start << 32 | length
}

/// A board; the text is its [`Facts`].
///
/// # Safety
/// As for [`board`].
#[unsafe(no_mangle)]
unsafe extern "C" fn board_new(start: *mut u8, length: usize, seed: u64) -> *mut Board {
    // SAFETY: the page passes on what `allocate` gave it.
    let text = unsafe { taken(start, length) };
    let facts: Facts = serde_json::from_slice(&text).unwrap_or_default();
    Box::into_raw(Box::new(Board::new(facts, seed)))
}

/// Something that was kept: its key, and nothing where it was deleted.
#[derive(serde::Deserialize)]
struct Kept {
    key: String,
    value: Option<String>,
}

/// What the page is to do.
#[derive(Serialize, Default)]
struct Outcome {
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<Response>,
    effects: Vec<Effect>,
}

/// What happens to a board, by number: 0 something was kept, 1 a message, 2 the engine says something, 3 time
/// passes, 4 a request, its head in one line before its body. The answer is an [`Outcome`] in one line, before
/// the body of the response.
///
/// # Safety
/// The board must have come from [`board_new`], the text from [`allocate`].
#[unsafe(no_mangle)]
unsafe extern "C" fn board(board: *mut Board, what: u32, start: *mut u8, length: usize) -> u64 {
    // SAFETY: by the contract above; there is one thread, and no call of this function within another.
    let (board, bytes) = unsafe { (&mut *board, taken(start, length)) };
    let now = clocks();
    let mut outcome = Outcome::default();
    let text = String::from_utf8_lossy(&bytes);
    match what {
        0 => {
            if let Ok(kept) = serde_json::from_str::<Kept>(&text) {
                outcome.effects = board.load(&kept.key, kept.value.as_deref(), now);
            }
        }
        1 => outcome.effects = board.receive(&text, now),
        2 => {
            if let Ok(message) = serde_json::from_str::<EngineMessage>(&text) {
                outcome.effects = board.heard(message, now);
            }
        }
        3 => outcome.effects = board.tick(now),
        _ => {
            let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
            if let Ok(head) = serde_json::from_slice::<Request>(&bytes[..end]) {
                let body = bytes.get(end + 1..).unwrap_or_default().to_vec();
                let (response, effects) = board.request(&Request { body, ..head }, now);
                outcome = Outcome { response: Some(response), effects };
            }
        }
    }
    let mut answer = serde_json::to_vec(&outcome).unwrap_or_default();
    answer.push(b'\n');
    answer.extend(outcome.response.map(|response| response.body).unwrap_or_default());
    given(answer)
}

/// An engine with tables of that many MiB.
#[unsafe(no_mangle)]
extern "C" fn engine_new(hash: usize) -> *mut EngineHost {
    Box::into_raw(Box::new(EngineHost::new(Arc::new(BrowserTime), hash)))
}

/// The file of a net has come; whether it could be used.
///
/// # Safety
/// The engine must have come from [`engine_new`], the bytes from [`allocate`].
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_load(engine: *mut EngineHost, start: *mut u8, length: usize) -> bool {
    // SAFETY: by the contract above; there is one thread.
    let (engine, bytes) = unsafe { (&mut *engine, taken(start, length)) };
    engine.load(&bytes).is_ok()
}

/// Does what is asked; `tell` hears of it meanwhile.
///
/// # Safety
/// As for [`engine_load`].
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_run(engine: *mut EngineHost, start: *mut u8, length: usize) {
    // SAFETY: by the contract above; there is one thread.
    let (engine, bytes) = unsafe { (&mut *engine, taken(start, length)) };
    let Ok(asked) = serde_json::from_slice(&bytes) else { return };
    engine.run(&asked, &mut |message| {
        let text = serde_json::to_vec(message).unwrap_or_default();
        // SAFETY: the bytes live until the call has ended.
        unsafe { tell(text.as_ptr(), text.len()) };
    });
}

/// The signature of search and evaluation: the fixed positions of a game (0 shogi, 1 minishogi) to a depth, as
/// `{"nodes":…,"ms":…}`.
///
/// # Safety
/// As for [`engine_load`].
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_bench(engine: *mut EngineHost, game: u32, depth: u32) -> u64 {
    // SAFETY: by the contract above; there is one thread.
    let engine = unsafe { &mut *engine };
    let game = if game == 0 { Game::Shogi } else { Game::Minishogi };
    let text = match engine.bench(game, depth) {
        Ok((nodes, time)) => format!("{{\"nodes\":{nodes},\"ms\":{}}}", time.as_millis()),
        Err(why) => serde_json::json!({ "failed": why }).to_string(),
    };
    given(text.into_bytes())
}
