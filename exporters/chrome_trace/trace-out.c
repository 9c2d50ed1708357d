/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-out.h"

#include <errno.h>

#define DIRECT_SIZE (256u * 1024) /* fits the processor's cache, few calls */
#define HELD_SIZE (64u * 1024)    /* at first */
#define PART_SIZE (16u * 1024)    /* of a part that is read back */

void trace_out_init(TraceOut *out, StrobeSafeFile *file)
{
    *out = (TraceOut){.file = file, .size = DIRECT_SIZE, .bytes = g_malloc(DIRECT_SIZE)};
}

void trace_out_init_held(TraceOut *out, int directory, gsize most)
{
    *out = (TraceOut){.directory = directory,
                      .is_held = TRUE,
                      .size = HELD_SIZE,
                      .most = most,
                      .bytes = g_malloc(HELD_SIZE)};
}

void trace_out_init_event(TraceOut *out)
{
    trace_out_init_held(out, -1, 0);
    out->is_in_memory = TRUE;
}

void trace_out_clear(TraceOut *out)
{
    strobe_safe_file_discard(out->file);
    out->file = NULL;
    g_clear_pointer(&out->bytes, g_free);
}

static void write_out(TraceOut *out, const char *bytes, gsize length)
{
    if (!out->file && !out->error) {
        out->file = strobe_safe_file_scratch(out->directory);
        if (!out->file)
            out->error = errno;
    }
    if (!out->error)
        out->error = strobe_safe_file_write(out->file, bytes, length);
}

void trace_out_flush(TraceOut *out)
{
    if (out->used)
        write_out(out, out->bytes, out->used);
    out->used = 0;
}

static gboolean may_grow(const TraceOut *out)
{
    return out->is_in_memory || (out->is_held && out->size < out->most);
}

void trace_out_make_room(TraceOut *out)
{
    if (!may_grow(out)) {
        trace_out_flush(out);
        return;
    }
    out->size *= 2;
    out->bytes = g_realloc(out->bytes, out->size);
}

char *trace_out_text_slow(TraceOut *out, const char *bytes, gsize length)
{
    do
        trace_out_make_room(out);
    while ((out->used || may_grow(out)) && out->used + length + TRACE_OUT_ROOM > out->size);
    if (out->used + length + TRACE_OUT_ROOM > out->size) {
        write_out(out, bytes, length);
        return out->bytes;
    }
    memcpy(out->bytes + out->used, bytes, length);
    return out->bytes + out->used + length;
}

int trace_out_sink(void *user, const char *bytes, size_t length)
{
    TraceOut *out = user;

    trace_out_done(out, trace_out_text(out, out->bytes + out->used, bytes, length));
    return out->error;
}

void trace_out_append(TraceOut *out, TraceOut *held)
{
    if (held->file) {
        trace_out_flush(held);
        trace_out_flush(out);
        if (!out->error && !held->error)
            out->error = strobe_safe_file_append(out->file, held->file);
    } else if (held->used) {
        trace_out_flush(out);
        write_out(out, held->bytes, held->used);
    }
}

guint64 trace_out_held_bytes(const TraceOut *held)
{
    return (held->file ? strobe_safe_file_size(held->file) : 0) + held->used;
}

void trace_out_append_part(TraceOut *out, TraceOut *held, guint64 from, guint64 n)
{
    char part[PART_SIZE];

    if (!held->file) {
        if (n)
            trace_out_sink(out, held->bytes + from, n);
        return;
    }
    trace_out_flush(held);
    for (guint64 end = from + n; from < end && !out->error; from += PART_SIZE) {
        const gsize length = MIN(end - from, PART_SIZE);

        out->error =
            held->error ? held->error : strobe_safe_file_read(held->file, from, part, length);
        if (!out->error)
            trace_out_sink(out, part, length);
    }
}
