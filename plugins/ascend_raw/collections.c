/* SPDX-License-Identifier: Apache-2.0 */
/* Reads torch.gc_record: collections of the interpreter's garbage collector. */
#include "framework-files.h"

#define GC_BYTES 24u

/* Returns the track of the process's first thread. The file has no thread ids, and torch_npu uses
 * this thread as well. */
static StrobeTrackId track_of(Raw *raw, guint64 pid)
{
    char name[40];
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_THREAD,
                               .device = -1,
                               .id = pid,
                               .name = name,
                               .group = "Python GC"};

    g_snprintf(name, sizeof name, "Thread %" G_GUINT64_FORMAT, pid);
    return raw->host->track(raw->self, &track, pid);
}

void collections_import(Raw *raw)
{
    const RawFile *file = &raw->files.files[RAW_GC_RECORD];
    StrobeTrackId track = 0;
    guint64 n = 0, last_pid = 0;
    const guchar *at;
    ByteStream stream;

    if (!file->name)
        return;
    byte_stream_init(&stream, file->fd);
    while (!raw->is_full && (at = byte_stream_peek(&stream, GC_BYTES))) {
        guint64 pid = raw_u64(at);

        if (!track || pid != last_pid)
            track = track_of(raw, pid);
        last_pid = pid;
        raw_emit(raw, RAW_GC, track, raw_intern(raw, "GC"),
                 raw_clock_ns_unsigned(&raw->clock, raw_u64(at + 8)),
                 raw_clock_ns_unsigned(&raw->clock, raw_u64(at + 16)));
        byte_stream_skip(&stream, GC_BYTES);
        n++;
    }
    raw_tell_stream(raw, file, &stream, n);
    byte_stream_clear(&stream);
}
