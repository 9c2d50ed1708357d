/* SPDX-License-Identifier: Apache-2.0 */
#include "python-call-stacks.h"

#include <stdio.h>
#include <stdlib.h>

#include "python-text.h"

#define PLACES 2048u /* number of places in code in the cache of a thread */
/* maximum number of frames of a stack, with which the stack fits in one record */
#define DEPTH_MAX 15000u

/* A place in code, with its text. */
typedef struct Place {
    uint64_t serial; /* serial number of the code; 0: free */
    int64_t instruction;
    StrobeStringId text;
    uint32_t reserved;
} Place;

struct StackCache {
    Place places[PLACES];
    /* texts of the thread's frames, outermost first; 0: the frame is one of Strobe's package */
    StrobeStringId *texts;
    StrobeStringId *inner; /* the texts of a stack, innermost first */
    uint32_t size;
    uint32_t window;
    int64_t top_instruction; /* instruction of the innermost frame when `last` was made */
    StrobeStackId last;      /* id of the last stack; 0: the id did not last */
    TextBuffer buffer;       /* for the text of a place */
};

static void free_cache(StackCache *cache)
{
    if (!cache)
        return;
    free(cache->texts);
    free(cache->inner);
    text_free(&cache->buffer);
    free(cache);
}

/* Returns the thread's cache, which has room for all of the thread's frames; NULL: there is no
 * memory. */
static StackCache *cache_of(Thread *thread)
{
    StackCache *cache = thread->stacks ? thread->stacks : calloc(1, sizeof *cache);
    uint32_t size = thread->frames_size;

    thread->stacks = cache;
    thread->free_stacks = free_cache;
    if (!cache || cache->size >= thread->n_frames)
        return cache;
    StrobeStringId *texts = realloc(cache->texts, size * sizeof *texts);
    cache->texts = texts ? texts : cache->texts;
    StrobeStringId *inner = realloc(cache->inner, size * sizeof *inner);
    cache->inner = inner ? inner : cache->inner;
    if (!texts || !inner)
        return NULL;
    cache->size = size;
    return cache;
}

/* Returns a number for the place in its code at which the frame is: the instruction; before 3.11
 * the line, which takes longer to find. */
static int64_t instruction_of(const Frame *frame)
{
    return python_api.frame_instruction ? python_api.frame_instruction(frame->frame)
                                        : python_api.frame_line(frame->frame);
}

/* Makes the text of a place that is not in the cache. Uses the file and the function, which were
 * copied when the frame began. Returns 0 if there is no room. */
static StrobeStringId make_text(StackCache *cache, StrobeWriter *writer, const Frame *frame)
{
    TextBuffer *buffer = &cache->buffer;
    const CodeText *text = frame->text;
    char digits[32];
    int line = python_api.frame_line(frame->frame);

    buffer->length = 0;
    text_append(buffer, text->bytes, text->file_length);
    text_append(buffer, digits, (size_t)snprintf(digits, sizeof digits, "(%d): ", line));
    text_append(buffer, text->bytes + text->file_length, text->function_length);
    if (!buffer->bytes)
        return 0;
    StrobeStringId id = tracer.host->intern(writer, buffer->bytes, buffer->length);
    return strobe_string_is_lasting(id) ? id : 0;
}

static StrobeStringId text_of(StackCache *cache, StrobeWriter *writer, const Frame *frame,
                              int64_t instruction)
{
    if (!frame->text)
        return 0;
    uint64_t serial = frame->text->serial;
    uint64_t bits = (serial << 16) ^ (uint64_t)instruction;
    Place *place = &cache->places[bits * 0x9e3779b97f4a7c15u >> 53];

    if (place->serial != serial || place->instruction != instruction) {
        StrobeStringId text = make_text(cache, writer, frame);
        if (!text)
            return 0;
        *place = (Place){serial, instruction, text, 0};
    }
    return place->text;
}

_Static_assert(PLACES == 1u << 11, "text_of takes 11 bits");

/* Finds the texts of the frames whose line may have changed, except those of Strobe's package.
 * Returns 0 if a text cannot be made. */
static int locate_frames(Thread *thread, StackCache *cache, StrobeWriter *writer)
{
    uint32_t n = thread->n_frames;

    for (uint32_t i = thread->n_located; i < n; i++) {
        const Frame *frame = &thread->frames[i];

        cache->top_instruction = instruction_of(frame);
        cache->texts[i] = frame->is_own ? 0 : text_of(cache, writer, frame, cache->top_instruction);
        if (!cache->texts[i] && !frame->is_own)
            return 0;
        /* the line of the innermost frame changes, so the next call finds it again */
        thread->n_located = i;
    }
    return 1;
}

/* Copies the texts of the program's frames to `inner`. Returns the number of these frames. */
static uint32_t order_texts(StackCache *cache, uint32_t n_frames)
{
    uint32_t n = 0;

    for (uint32_t i = n_frames; i > 0 && n < DEPTH_MAX; i--)
        if (cache->texts[i - 1])
            cache->inner[n++] = cache->texts[i - 1];
    return n;
}

static StrobeStackId make_stack(Thread *thread, StackCache *cache, StrobeWriter *writer)
{
    /* `stop` reports the loss, because the session may end now */
    if (!locate_frames(thread, cache, writer)) {
        atomic_fetch_add_explicit(&tracer.n_stackless, atomic_load(&tracer.is_on),
                                  memory_order_relaxed);
        return 0;
    }
    uint32_t n = order_texts(cache, thread->n_frames);
    StrobeStackId stack = n ? tracer.host->stack(writer, cache->inner, n) : 0;
    cache->last = strobe_string_is_lasting(stack) ? stack : 0;
    thread->stack_is_new = 0;
    return stack;
}

static StrobeStackId read_stack(Thread *thread, StrobeWriter *writer)
{
    uint32_t window = atomic_load_explicit(&tracer.windows, memory_order_relaxed);

    if (!thread->n_frames || thread->window != window ||
        !atomic_load_explicit(&tracer.is_on, memory_order_acquire))
        return 0;
    StackCache *cache = cache_of(thread);
    if (!cache)
        return 0;
    if (cache->window != window) {
        cache->window = window;
        cache->last = 0;
        thread->n_located = 0;
    }
    if (!thread->stack_is_new && cache->last &&
        cache->top_instruction == instruction_of(&thread->frames[thread->n_frames - 1]))
        return cache->last;
    return make_stack(thread, cache, writer);
}

static StrobeStackId stack_of_thread(StrobeWriter *writer)
{
    Thread *thread = tracer_thread;

    if (!thread || !tracer_begin_reading(thread))
        return 0;
    StrobeStackId stack = read_stack(thread, writer);
    tracer_end_reading(thread);
    return stack;
}

static uint32_t count_windows(void)
{
    return atomic_load(&tracer.windows);
}

static int records_now(void)
{
    return atomic_load(&tracer.is_on);
}

__attribute__((visibility("default"))) const StrobePythonStack strobe_python_stack_1 = {
    .struct_size = sizeof(StrobePythonStack),
    .stack = stack_of_thread,
    .windows = count_windows,
    .records = records_now,
};
