/* SPDX-License-Identifier: Apache-2.0 */
#include "python-layout.h"

#include <string.h>

#define OFFSET_MAX (1u << 20)
#define COOKIE "xdebugpy"

static const PythonLayout layout_3_11 = {
    .runtime_interpreters = 40,
    .interpreter_next = 0,
    .interpreter_threads = 16,
    .thread_next = 8,
    .thread_number = 160,
    .thread_frame = 56,
    .frame_pointer = 8,
    .has_frame_pointer = 1,
    .frame_previous = 48,
    .frame_code = 32,
    .frame_owner = 69,
    .code_file = 112,
    .code_name = 128,
    .code_line = 72,
    .text_length = 16,
    .text_state = 32,
    .text_ascii = 48,
    .text_other = 72,
};

static const PythonLayout layout_3_12 = {
    .runtime_interpreters = 40,
    .interpreter_next = 0,
    .interpreter_threads = 72,
    .thread_next = 8,
    .thread_number = 144,
    .thread_frame = 56,
    .frame_pointer = 0,
    .has_frame_pointer = 1,
    .frame_previous = 8,
    .frame_code = 0,
    .frame_owner = 70,
    .code_file = 112,
    .code_name = 128,
    .code_line = 68,
    .text_length = 16,
    .text_state = 32,
    .text_ascii = 40,
    .text_other = 56,
};

/* The begin of _PyRuntime in 3.13, up to the last member that is needed here. */
typedef struct DebugOffsets {
    char cookie[8];
    uint64_t version, is_free_threaded;
    struct {
        uint64_t size, finalizing, interpreters;
    } runtime;
    struct {
        uint64_t size, id, next, threads, others[9];
    } interpreter;
    struct {
        uint64_t size, previous, next, interpreter, frame, id, number, stack, status;
    } thread;
    struct {
        uint64_t size, previous, code, instruction, locals, owner;
    } frame;
    struct {
        uint64_t size, file, short_name, name, line_table, line, others[4];
    } code;
    uint64_t others[23]; /* offsets in objects that are not read */
    struct {
        uint64_t size, state, length, ascii_size;
    } text;
} DebugOffsets;

/* Returns the offset; if it is too large, returns OFFSET_MAX, which has_large_offset rejects. The
 * offsets come from the program's memory, which may have any contents. */
static uint32_t check_offset(uint64_t offset)
{
    return offset < OFFSET_MAX ? (uint32_t)offset : OFFSET_MAX;
}

static int has_large_offset(const PythonLayout *layout)
{
    const uint32_t *offsets = (const uint32_t *)layout;

    for (size_t i = 0; i < sizeof *layout / sizeof *offsets; i++)
        if (offsets[i] >= OFFSET_MAX)
            return 1;
    return 0;
}

static int read_layout(PythonLayout *layout, uint32_t version, ProcessMemory *memory,
                       uint64_t runtime)
{
    DebugOffsets reported;

    if (memory->read(memory->user, runtime, &reported, sizeof reported) != 0 ||
        memcmp(reported.cookie, COOKIE, sizeof reported.cookie) != 0 ||
        reported.version != version || reported.is_free_threaded)
        return -1;
    *layout = (PythonLayout){
        .runtime_interpreters = check_offset(reported.runtime.interpreters),
        .interpreter_next = check_offset(reported.interpreter.next),
        .interpreter_threads = check_offset(reported.interpreter.threads),
        .thread_next = check_offset(reported.thread.next),
        .thread_number = check_offset(reported.thread.number),
        .thread_frame = check_offset(reported.thread.frame),
        .frame_previous = check_offset(reported.frame.previous),
        .frame_code = check_offset(reported.frame.code),
        .frame_owner = check_offset(reported.frame.owner),
        .code_file = check_offset(reported.code.file),
        .code_name = check_offset(reported.code.name),
        .code_line = check_offset(reported.code.line),
        .text_length = check_offset(reported.text.length),
        .text_state = check_offset(reported.text.state),
        .text_ascii = check_offset(reported.text.ascii_size),
        .text_other = check_offset(reported.text.ascii_size) +
                      16, /* skips the length and the pointer of the UTF-8 form */
    };
    return has_large_offset(layout) ? -1 : 0;
}

int python_layout_find(PythonLayout *layout, uint32_t version, ProcessMemory *memory,
                       uint64_t runtime)
{
    switch (version >> 16) {
    case 0x030b:
        *layout = layout_3_11;
        return 0;
    case 0x030c:
        *layout = layout_3_12;
        return 0;
    case 0x030d:
        return read_layout(layout, version, memory, runtime);
    default:
        return -1;
    }
}
