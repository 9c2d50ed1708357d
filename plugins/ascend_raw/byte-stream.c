/* SPDX-License-Identifier: Apache-2.0 */
#include "byte-stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strobe/helpers/file-part.h>
#include <sys/stat.h>

#define WINDOW_BYTES (256u << 10)

void byte_stream_init(ByteStream *s, int fd)
{
    struct stat st;

    memset(s, 0, sizeof *s);
    s->fd = fd;
    s->room = WINDOW_BYTES;
    s->window = g_malloc0(s->room + BYTE_STREAM_MARGIN);
    if (fstat(fd, &st))
        s->error = errno;
    else
        s->size = (guint64)MAX(st.st_size, 0);
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}

void byte_stream_clear(ByteStream *s)
{
    g_free(s->window);
}

void byte_stream_rewind(ByteStream *s)
{
    s->base = s->used = s->at = 0;
}

gboolean byte_stream_fill(ByteStream *s, gsize n)
{
    if (n > byte_stream_left(s))
        return FALSE;
    memmove(s->window, s->window + s->at, s->used - s->at);
    s->base += s->at;
    s->used -= s->at;
    s->at = 0;
    if (n > s->room) {
        s->room = n;
        s->window = g_realloc(s->window, s->room + BYTE_STREAM_MARGIN);
    }
    if (s->used < n) {
        gint64 done =
            strobe_file_part_read(s->fd, s->base + s->used, s->window + s->used, s->room - s->used);

        s->error = done < 0 ? errno : 0;
        s->used += (gsize)MAX(done, 0);
        if (s->used < n) {
            s->size = s->base + s->used;
            return FALSE;
        }
    }
    s->size = MAX(s->size, s->base + s->used);
    return TRUE;
}

void byte_stream_skip_far(ByteStream *s, guint64 n)
{
    n = MIN(n, byte_stream_left(s));
    if (n <= s->used - s->at) {
        s->at += (gsize)n;
        return;
    }
    s->base += s->at + n;
    s->used = s->at = 0;
}
