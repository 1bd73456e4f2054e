//! The places of ONNX Runtime's table of functions that are used.
//!
//! The table only ever grows at its end, so that the places are the same in every library since the
//! version asked for. Their numbers are checked below.

use std::ffi::{c_char, c_int, c_void};
use std::mem::offset_of;

pub(super) type Any = *mut c_void;
/// Null where all is well.
pub(super) type Status = *mut c_void;
pub(super) type Names = *const *const c_char;
pub(super) type Release = unsafe extern "system" fn(Any);
pub(super) type Make = unsafe extern "system" fn(*mut Any) -> Status;
pub(super) type Count = unsafe extern "system" fn(Any, *mut usize) -> Status;
pub(super) type SetNumber = unsafe extern "system" fn(Any, c_int) -> Status;
pub(super) type Part = unsafe extern "system" fn(Any, usize, *mut Any) -> Status;
pub(super) type Name = unsafe extern "system" fn(Any, usize, Any, *mut *mut c_char) -> Status;
pub(super) type Get = unsafe extern "system" fn(Any, *mut Any) -> Status;
pub(super) type Both = unsafe extern "system" fn(Any, Any) -> Status;
pub(super) type Update = unsafe extern "system" fn(Any, Names, Names, usize) -> Status;
/// A place of the table that is not used here.
type Other = usize;

#[repr(C)]
pub(super) struct Table {
    others_0: [Other; 2],
    pub(super) error_message: unsafe extern "system" fn(Status) -> *const c_char,
    pub(super) create_env: unsafe extern "system" fn(c_int, *const c_char, *mut Any) -> Status,
    others_4: [Other; 2],
    pub(super) disable_telemetry: unsafe extern "system" fn(Any) -> Status,
    others_7: [Other; 1],
    pub(super) create_session:
        unsafe extern "system" fn(Any, *const c_void, usize, Any, *mut Any) -> Status,
    #[allow(clippy::type_complexity)] // as it is
    pub(super) run: unsafe extern "system" fn(
        Any,
        Any,
        Names,
        *const Any,
        usize,
        Names,
        usize,
        *mut Any,
    ) -> Status,
    pub(super) create_options: Make,
    others_11: [Other; 12],
    pub(super) set_optimisation: SetNumber,
    pub(super) set_threads: SetNumber,
    others_25: [Other; 5],
    pub(super) input_count: Count,
    pub(super) output_count: Count,
    others_32: [Other; 1],
    pub(super) input_type: Part,
    pub(super) output_type: Part,
    others_35: [Other; 1],
    pub(super) input_name: Name,
    pub(super) output_name: Name,
    others_38: [Other; 11],
    #[allow(clippy::type_complexity)] // as it is
    pub(super) create_tensor: unsafe extern "system" fn(
        Any,
        *mut c_void,
        usize,
        *const i64,
        usize,
        c_int,
        *mut Any,
    ) -> Status,
    others_50: [Other; 1],
    pub(super) tensor_data: unsafe extern "system" fn(Any, *mut *mut c_void) -> Status,
    others_52: [Other; 3],
    pub(super) tensor_info: Get,
    others_56: [Other; 4],
    pub(super) element_type: unsafe extern "system" fn(Any, *mut c_int) -> Status,
    pub(super) dimension_count: Count,
    pub(super) dimensions: unsafe extern "system" fn(Any, *mut i64, usize) -> Status,
    others_63: [Other; 1],
    pub(super) element_count: Count,
    pub(super) tensor_shape: Get,
    others_66: [Other; 3],
    pub(super) cpu_memory: unsafe extern "system" fn(c_int, c_int, *mut Any) -> Status,
    others_70: [Other; 6],
    pub(super) free: Both,
    others_77: [Other; 1],
    pub(super) allocator: Make,
    others_79: [Other; 13],
    pub(super) release_env: Release,
    pub(super) release_status: Release,
    pub(super) release_memory: Release,
    pub(super) release_session: Release,
    pub(super) release_value: Release,
    others_97: [Other; 1],
    pub(super) release_type: Release,
    pub(super) release_shape: Release,
    pub(super) release_options: Release,
    others_101: [Other; 24],
    pub(super) providers: unsafe extern "system" fn(*mut *mut *mut c_char, *mut c_int) -> Status,
    pub(super) release_providers: unsafe extern "system" fn(*mut *mut c_char, c_int) -> Status,
    others_127: [Other; 43],
    pub(super) append_tensorrt: Both,
    pub(super) create_tensorrt: Make,
    pub(super) update_tensorrt: Update,
    others_173: [Other; 1],
    pub(super) release_tensorrt: Release,
    others_175: [Other; 29],
    pub(super) append_cuda: Both,
    pub(super) create_cuda: Make,
    pub(super) update_cuda: Update,
    others_207: [Other; 1],
    pub(super) release_cuda: Release,
}

/// One place by number after every gap.
const _: () = {
    const PLACE: usize = size_of::<usize>();
    assert!(offset_of!(Table, error_message) == 2 * PLACE);
    assert!(offset_of!(Table, disable_telemetry) == 6 * PLACE);
    assert!(offset_of!(Table, create_session) == 8 * PLACE);
    assert!(offset_of!(Table, set_optimisation) == 23 * PLACE);
    assert!(offset_of!(Table, input_count) == 30 * PLACE);
    assert!(offset_of!(Table, input_type) == 33 * PLACE);
    assert!(offset_of!(Table, input_name) == 36 * PLACE);
    assert!(offset_of!(Table, create_tensor) == 49 * PLACE);
    assert!(offset_of!(Table, tensor_data) == 51 * PLACE);
    assert!(offset_of!(Table, tensor_info) == 55 * PLACE);
    assert!(offset_of!(Table, element_type) == 60 * PLACE);
    assert!(offset_of!(Table, element_count) == 64 * PLACE);
    assert!(offset_of!(Table, cpu_memory) == 69 * PLACE);
    assert!(offset_of!(Table, free) == 76 * PLACE);
    assert!(offset_of!(Table, allocator) == 78 * PLACE);
    assert!(offset_of!(Table, release_env) == 92 * PLACE);
    assert!(offset_of!(Table, release_type) == 98 * PLACE);
    assert!(offset_of!(Table, providers) == 125 * PLACE);
    assert!(offset_of!(Table, append_tensorrt) == 170 * PLACE);
    assert!(offset_of!(Table, release_tensorrt) == 174 * PLACE);
    assert!(offset_of!(Table, append_cuda) == 204 * PLACE);
    assert!(offset_of!(Table, release_cuda) == 208 * PLACE);
};

#[repr(C)]
pub(super) struct Base {
    pub(super) table: unsafe extern "system" fn(u32) -> *const Table,
    pub(super) version: unsafe extern "system" fn() -> *const c_char,
}
