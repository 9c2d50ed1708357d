/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-out.h"

#include <errno.h>

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

char *trace_out_text_slow(TraceOut *out, const char *bytes, gsize length)
{
    trace_out_flush(out);
    if (length + TRACE_OUT_ROOM > TRACE_OUT_SIZE) {
        write_out(out, bytes, length);
        return out->bytes;
    }
    memcpy(out->bytes, bytes, length);
    return out->bytes + length;
}

int trace_out_sink(void *user, const char *bytes, size_t length)
{
    TraceOut *out = user;

    trace_out_done(out, trace_out_text(out, out->bytes + out->used, bytes, length));
    return out->error;
}
