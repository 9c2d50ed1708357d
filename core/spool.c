/* SPDX-License-Identifier: Apache-2.0 */
#include "spool.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "error.h"
#include "resources.h"

#define CHUNK (1u << 20)

struct StrobeSpool {
    char *chunk; /* being filled, or the piece last read */
    gsize used;
    struct StrobeSpooled *newest; /* record appended last, NULL: none in the chunk */
    char *last;                   /* chunk that was being filled when reading began */
    gsize last_used;
    GArray *sizes; /* of the chunks in the file */
    guint next;
    int fd;
};

StrobeSpool *strobe_spool_new(void)
{
    StrobeSpool *spool = g_new0(StrobeSpool, 1);

    spool->fd = -1;
    spool->sizes = g_array_new(FALSE, FALSE, sizeof(gsize));
    return spool;
}

void strobe_spool_free(StrobeSpool *spool)
{
    if (!spool)
        return;
    if (spool->fd >= 0)
        close(spool->fd);
    g_array_unref(spool->sizes);
    g_free(spool->chunk);
    g_free(spool->last);
    g_free(spool);
}

static gboolean write_all(int fd, const char *bytes, gsize n)
{
    while (n) {
        ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return FALSE;
        bytes += done;
        n -= (gsize)done;
    }
    return TRUE;
}

static gboolean spill(StrobeSpool *spool)
{
    if (spool->fd < 0) {
        spool->fd = strobe_resources_scratch(NULL);
        if (spool->fd < 0)
            return FALSE;
    }
    if (!write_all(spool->fd, spool->chunk, spool->used))
        return FALSE;
    g_array_append_val(spool->sizes, spool->used);
    spool->used = 0;
    return TRUE;
}

void *strobe_spool_add(StrobeSpool *spool, const struct StrobeSpooled *record)
{
    gsize n = sizeof *record + record->field_bytes;

    if (!spool->chunk)
        spool->chunk = g_malloc(CHUNK);
    spool->newest = NULL;
    if (spool->used + n > CHUNK && !spill(spool))
        return NULL;
    char *at = spool->chunk + spool->used;
    memcpy(at, record, sizeof *record);
    memset(at + sizeof *record, 0, record->field_bytes);
    spool->used += n;
    spool->newest = (struct StrobeSpooled *)(void *)at;
    return at + sizeof *record;
}

void strobe_spool_flag(StrobeSpool *spool, guint16 flags)
{
    if (spool->newest)
        spool->newest->flags |= flags;
}

gboolean strobe_spool_rewind(StrobeSpool *spool, GError **error)
{
    if (!spool->last) {
        spool->last = g_steal_pointer(&spool->chunk);
        spool->last_used = spool->used;
    }
    spool->newest = NULL;
    spool->next = 0;
    if (spool->fd >= 0 && lseek(spool->fd, 0, SEEK_SET) < 0) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot read derived records: %s",
                    g_strerror(errno));
        return FALSE;
    }
    return TRUE;
}

const char *strobe_spool_next(StrobeSpool *spool, gsize *bytes, GError **error)
{
    if (spool->next > spool->sizes->len)
        return NULL;
    if (spool->next++ == spool->sizes->len) {
        *bytes = spool->last_used;
        return spool->last_used ? spool->last : NULL;
    }
    gsize size = g_array_index(spool->sizes, gsize, spool->next - 1);
    if (!spool->chunk)
        spool->chunk = g_malloc(CHUNK);
    for (gsize done = 0; done < size;) {
        ssize_t n = read(spool->fd, spool->chunk + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot read derived records: %s",
                        n < 0 ? g_strerror(errno) : "the temporary file is too short");
            return NULL;
        }
        done += (gsize)n;
    }
    *bytes = size;
    return spool->chunk;
}
