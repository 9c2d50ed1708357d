/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-out.h"

/* size of the buffer if there is a file: fits into the processor's cache, and needs few system
 * calls */
#define DIRECT_SIZE (256u * 1024)
#define MEMORY_SIZE 4096u /* initial size of the buffer if there is no file */

void trace_out_init(TraceOut *out, StrobeSafeFile *file)
{
    const gsize size = file ? DIRECT_SIZE : MEMORY_SIZE;

    *out = (TraceOut){.file = file, .size = size, .bytes = g_malloc(size)};
}

void trace_out_clear(TraceOut *out)
{
    strobe_safe_file_discard(out->file);
    out->file = NULL;
    g_clear_pointer(&out->bytes, g_free);
}

static void write_out(TraceOut *out, const char *bytes, gsize length)
{
    if (!out->error)
        out->error = strobe_safe_file_write(out->file, bytes, length);
}

void trace_out_flush(TraceOut *out)
{
    if (out->used)
        write_out(out, out->bytes, out->used);
    out->used = 0;
}

static void grow_buffer(TraceOut *out, gsize length)
{
    while (out->used + length + TRACE_OUT_ROOM > out->size)
        out->size *= 2;
    out->bytes = g_realloc(out->bytes, out->size);
}

void trace_out_make_room(TraceOut *out)
{
    if (out->file)
        trace_out_flush(out);
    else
        grow_buffer(out, 0);
}

char *trace_out_text_slow(TraceOut *out, const char *bytes, gsize length)
{
    if (!out->file) {
        grow_buffer(out, length);
    } else {
        trace_out_flush(out);
        if (length + TRACE_OUT_ROOM > out->size) {
            write_out(out, bytes, length);
            return out->bytes;
        }
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
