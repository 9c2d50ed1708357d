/* SPDX-License-Identifier: Apache-2.0 */
#include "python-frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "python-text.h"

#define INTERPRETERS_MAX 16
#define THREADS_MAX 1024
#define CODES_MAX 65536
/* maximum number of Python frames and of the C frames between them */
#define STEPS_MAX (2 * PYTHON_FRAMES_MAX)
#define TRIES 3
#define TYPE_AT 8 /* offset of the type in a Python object */

/* ---- threads ---- */

static int has_number(const PythonInterpreter *interpreter, ProcessMemory *memory, uint64_t thread,
                      pid_t tid)
{
    uint64_t number;

    return process_memory_word(memory, thread + interpreter->layout.thread_number, &number) == 0 &&
           number == (uint64_t)tid;
}

/* Returns the address of the thread state with this kernel thread id; 0: the list has none. `left`:
 * number of threads that may still be examined. */
static uint64_t find_in_list(const PythonInterpreter *interpreter, ProcessMemory *memory,
                             uint64_t thread, pid_t tid, uint32_t *left)
{
    for (; *left && thread; (*left)--) {
        if (has_number(interpreter, memory, thread, tid))
            return thread;
        if (process_memory_word(memory, thread + interpreter->layout.thread_next, &thread) != 0)
            return 0;
    }
    return 0;
}

static uint64_t search_thread(const PythonInterpreter *interpreter, ProcessMemory *memory,
                              pid_t tid)
{
    const PythonLayout *layout = &interpreter->layout;
    uint64_t at = interpreter->runtime + layout->runtime_interpreters, state, first, thread = 0;
    uint32_t left = THREADS_MAX;

    for (uint32_t i = 0; i < INTERPRETERS_MAX && !thread; i++) {
        if (process_memory_word(memory, at, &state) != 0 || state == 0)
            return 0;
        if (process_memory_word(memory, state + layout->interpreter_threads, &first) == 0)
            thread = find_in_list(interpreter, memory, first, tid, &left);
        at = state + layout->interpreter_next;
    }
    return thread;
}

/* Returns the address of the thread's state. The address does not change while the thread lives. If
 * the memory was reused later, it contains a different thread id. */
static uint64_t find_thread(PythonInterpreter *interpreter, ProcessMemory *memory, pid_t tid)
{
    uint64_t thread = number_table_find(&interpreter->threads, (uint64_t)tid);

    if (thread && has_number(interpreter, memory, thread, tid))
        return thread;
    int is_known = thread != 0;
    thread = search_thread(interpreter, memory, tid);
    if (is_known || interpreter->threads.n > THREADS_MAX)
        number_table_clear(&interpreter->threads);
    if (thread)
        number_table_add(&interpreter->threads, (uint64_t)tid, thread);
    return thread;
}

/* ---- code objects ---- */

static void clear_codes(PythonInterpreter *interpreter)
{
    for (size_t i = 0; i < interpreter->codes.room; i++)
        free((PythonCode *)interpreter->codes.places[i].value);
    number_table_clear(&interpreter->codes);
    interpreter->is_outdated = 0;
}

static int write_code(const PythonInterpreter *interpreter, ProcessMemory *memory,
                      const PythonCode *code, char *text, size_t size)
{
    char file[PYTHON_TEXT_MAX * 3], name[PYTHON_TEXT_MAX * 3];

    if (python_text_read(memory, &interpreter->layout, code->file, file, sizeof file) < 0 ||
        python_text_read(memory, &interpreter->layout, code->name, name, sizeof name) <= 0)
        return -1;
    return snprintf(text, size, "%s(%u): %s", file, code->line, name);
}

static PythonCode *add_code(PythonInterpreter *interpreter, ProcessMemory *memory, uint64_t address,
                            const PythonCode *read)
{
    char text[PYTHON_TEXT_MAX * 6 + 32];
    int length = write_code(interpreter, memory, read, text, sizeof text);
    PythonCode *code = length > 0 ? malloc(sizeof *code + (size_t)length + 1) : NULL;

    if (!code)
        return NULL;
    *code = *read;
    memcpy(code->text, text, (size_t)length + 1);
    if (number_table_add(&interpreter->codes, address, (uintptr_t)code) == 0)
        return code;
    free(code);
    return NULL;
}

/* Returns the code object at the address; NULL: there is none. If the address now has another code
 * object than the known one, or if too many are known, returns NULL, and sets is_outdated, so that
 * all known code objects are dropped and read again. */
static PythonCode *find_code(PythonInterpreter *interpreter, ProcessMemory *memory,
                             uint64_t address)
{
    const PythonLayout *layout = &interpreter->layout;
    PythonCode *known = (PythonCode *)number_table_find(&interpreter->codes, address);
    PythonCode read = {.id = 0};
    uint64_t type;

    if (process_memory_word(memory, address + TYPE_AT, &type) != 0 ||
        type != interpreter->code_type ||
        process_memory_word(memory, address + layout->code_file, &read.file) != 0 ||
        process_memory_word(memory, address + layout->code_name, &read.name) != 0 ||
        process_memory_half(memory, address + layout->code_line, &read.line) != 0)
        return NULL;
    if (known && known->file == read.file && known->name == read.name && known->line == read.line)
        return known;
    if (!known && interpreter->codes.n < CODES_MAX)
        return add_code(interpreter, memory, address, &read);
    interpreter->is_outdated = 1;
    return NULL;
}

/* ---- frames ---- */

/* Sets `frame` to the address of the thread's innermost frame. Returns 1; 0: the thread runs no
 * Python code; -1: the memory cannot be read. */
static int find_frame(const PythonInterpreter *interpreter, ProcessMemory *memory, uint64_t thread,
                      uint64_t *frame)
{
    const PythonLayout *layout = &interpreter->layout;

    if (process_memory_word(memory, thread + layout->thread_frame, frame) != 0)
        return -1;
    if (layout->has_frame_pointer &&
        process_memory_word(memory, *frame + layout->frame_pointer, frame) != 0)
        return -1;
    return *frame != 0;
}

/* Sets `codes` to the addresses of the frames' code objects. Returns their number; -1: the frames
 * are inconsistent. A generator's frame is never the outermost frame: if it has no caller, the
 * generator is about to begin or has just ended. */
static int walk_frames(const PythonInterpreter *interpreter, ProcessMemory *memory, uint64_t frame,
                       uint64_t codes[PYTHON_FRAMES_MAX])
{
    const PythonLayout *layout = &interpreter->layout;
    uint64_t previous;
    uint8_t owner;
    int n = 0;

    for (uint32_t i = 0; i < STEPS_MAX && n < PYTHON_FRAMES_MAX && frame; i++) {
        if (process_memory_word(memory, frame + layout->frame_previous, &previous) != 0 ||
            process_memory_word(memory, frame + layout->frame_code, &codes[n]) != 0 ||
            process_memory_byte(memory, frame + layout->frame_owner, &owner) != 0 ||
            owner > PYTHON_OWNER_C || (owner == PYTHON_OWNER_GENERATOR && !previous))
            return -1;
        n += owner != PYTHON_OWNER_C;
        frame = previous;
    }
    return n;
}

static int try_to_read(PythonInterpreter *interpreter, ProcessMemory *memory, pid_t tid,
                       PythonStack *stack)
{
    uint64_t codes[PYTHON_FRAMES_MAX], frame;

    if (interpreter->is_outdated)
        clear_codes(interpreter);
    uint64_t thread = find_thread(interpreter, memory, tid);
    int found = thread ? find_frame(interpreter, memory, thread, &frame) : 0, n;

    if (found <= 0)
        return found;
    n = walk_frames(interpreter, memory, frame, codes);
    for (int i = 0; i < n; i++)
        if (!(stack->frames[i] = find_code(interpreter, memory, codes[i])))
            return PYTHON_STACK_TORN;
    stack->n = n > 0 ? (uint32_t)n : 0;
    return n < 0 ? PYTHON_STACK_TORN : n > 0 ? PYTHON_STACK_READ : PYTHON_STACK_NONE;
}

int python_frames_read(PythonInterpreter *interpreter, ProcessMemory *memory, pid_t tid,
                       PythonStack *stack)
{
    int result = PYTHON_STACK_TORN;

    for (int i = 0; i < TRIES && result == PYTHON_STACK_TORN; i++) {
        process_memory_refresh(memory);
        result = try_to_read(interpreter, memory, tid, stack);
    }
    return result;
}

StrobeStringId python_code_intern(const StrobeHost *host, StrobeWriter *writer, PythonCode *code)
{
    if (code->id)
        return code->id;
    StrobeStringId id = host->intern(writer, code->text, strlen(code->text));
    if (strobe_string_is_lasting(id))
        code->id = id;
    return id;
}

void python_interpreter_clear(PythonInterpreter *interpreter)
{
    clear_codes(interpreter);
    number_table_clear(&interpreter->threads);
}
