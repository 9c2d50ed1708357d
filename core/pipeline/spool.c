/* SPDX-License-Identifier: Apache-2.0 */
#include "spool.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include "error.h"
#include "memory-limit.h"

#define CHUNK ((gsize)64 << 10)
#define KEPT_MAX ((guint64)64 << 20)
#define MEMORY_PARTS 16u /* of the memory, one for the first chunks of a spool */
#define SPOOLS_MAX 4u    /* so many, for those of all spools */
#define PLAIN_PARTS 4u   /* so many, in the file before it is packed */

static gssize kept_by_all; /* bytes; atomic */

/* A chunk that waits, as what differs (spooled-differences.h). */
struct Kept {
    char *bytes; /* NULL: in the file */
    gsize length, whole;
};

struct StrobeSpool {
    char *chunk; /* being filled */
    gsize used;
    char *differences; /* of a chunk, on its way */
    GArray *kept;      /* of Kept: the oldest ones in memory, then those in the file */
    gsize in_memory, in_memory_max;
    StrobeSafeFile *file;
    pthread_mutex_t lock; /* of readers, for the file */
};

struct StrobeSpoolReader {
    StrobeSpool *spool;
    guint index; /* of the chunk to be read next */
    guint64 at;  /* of it in the file */
    const char *next, *end;
    char *room, *differences;
};

StrobeSpool *strobe_spool_new(void)
{
    StrobeSpool *spool = g_new0(StrobeSpool, 1);

    spool->kept = g_array_new(FALSE, FALSE, sizeof(struct Kept));
    pthread_mutex_init(&spool->lock, NULL);
    spool->in_memory_max = (gsize)MIN(strobe_memory_limit() / MEMORY_PARTS, KEPT_MAX);
    return spool;
}

/* Room for so many bytes more in memory. What follows a chunk that is in the file goes there too.
 */
static gboolean may_keep(StrobeSpool *spool, gsize n)
{
    if (spool->file || spool->in_memory + n > spool->in_memory_max)
        return FALSE;
    if ((gsize)g_atomic_pointer_add(&kept_by_all, (gssize)n) + n <=
        SPOOLS_MAX * spool->in_memory_max) {
        spool->in_memory += n;
        return TRUE;
    }
    g_atomic_pointer_add(&kept_by_all, -(gssize)n);
    return FALSE;
}

static void forget_kept(StrobeSpool *spool)
{
    for (guint i = 0; i < spool->kept->len; i++)
        g_free(g_array_index(spool->kept, struct Kept, i).bytes);
    g_array_set_size(spool->kept, 0);
    g_atomic_pointer_add(&kept_by_all, -(gssize)spool->in_memory);
    spool->in_memory = 0;
}

void strobe_spool_free(StrobeSpool *spool)
{
    if (!spool)
        return;
    strobe_safe_file_discard(spool->file);
    forget_kept(spool);
    g_array_unref(spool->kept);
    g_free(spool->differences);
    g_free(spool->chunk);
    pthread_mutex_destroy(&spool->lock);
    g_free(spool);
}

/* ---- what waits ---- */

static gboolean put_into_file(StrobeSpool *spool, gsize n)
{
    if (!spool->file)
        spool->file =
            strobe_temporary_packed_file(NULL, (guint64)PLAIN_PARTS * spool->in_memory_max);
    return spool->file && !strobe_safe_file_write(spool->file, spool->differences, n);
}

/* The chunk is full. */
static gboolean spill(StrobeSpool *spool)
{
    struct Kept kept = {.whole = spool->used};

    strobe_memory_check_room();
    spool->used = 0;
    if (!spool->differences)
        spool->differences = g_malloc(STROBE_SPOOLED_ROOM(CHUNK));
    kept.length = strobe_spooled_put(spool->chunk, kept.whole, spool->differences);
    if (may_keep(spool, kept.length))
        kept.bytes = g_memdup2(spool->differences, kept.length);
    else if (!put_into_file(spool, kept.length))
        return FALSE;
    g_array_append_val(spool->kept, kept);
    return TRUE;
}

/* ---- records in ---- */

struct StrobeSpooled *strobe_spool_add(StrobeSpool *spool, const struct StrobeSpooled *record)
{
    gsize n = sizeof *record + record->field_bytes;

    if (!spool->chunk)
        spool->chunk = g_malloc(CHUNK);
    if (spool->used + n > CHUNK && !spill(spool))
        return NULL;
    struct StrobeSpooled *copy = (void *)(spool->chunk + spool->used);
    *copy = *record;
    memset(copy + 1, 0, record->field_bytes);
    spool->used += n;
    return copy;
}

/* ---- records out ---- */

StrobeSpoolReader *strobe_spool_read(StrobeSpool *spool)
{
    StrobeSpoolReader *reader = g_new0(StrobeSpoolReader, 1);

    reader->spool = spool;
    return reader;
}

void strobe_spool_reader_free(StrobeSpoolReader *reader)
{
    g_free(reader->room);
    g_free(reader->differences);
    g_free(reader);
}

static int read_file(StrobeSpoolReader *reader, gsize n)
{
    StrobeSpool *spool = reader->spool;
    int error;

    if (!reader->differences)
        reader->differences = g_malloc(STROBE_SPOOLED_ROOM(CHUNK));
    pthread_mutex_lock(&spool->lock);
    error = strobe_safe_file_read(spool->file, reader->at, reader->differences, n);
    pthread_mutex_unlock(&spool->lock);
    reader->at += n;
    return error;
}

static gboolean read_kept(StrobeSpoolReader *reader, const struct Kept *kept, GError **error)
{
    int number = kept->bytes ? 0 : read_file(reader, kept->length);

    if (!reader->room)
        reader->room = g_malloc(CHUNK);
    if (!number && !strobe_spooled_take(kept->bytes ? kept->bytes : reader->differences,
                                        kept->length, reader->room, kept->whole))
        number = EIO;
    if (number)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot read derived records in the folder for temporary files: %s: %s",
                    strobe_temporary_folder(NULL), g_strerror(number));
    reader->next = reader->room;
    reader->end = reader->room + kept->whole;
    return number == 0;
}

/* FALSE: there is none, or it cannot be read. */
static gboolean next_chunk(StrobeSpoolReader *reader, GError **error)
{
    const StrobeSpool *spool = reader->spool;
    const guint i = reader->index++;

    if (i < spool->kept->len)
        return read_kept(reader, &g_array_index(spool->kept, struct Kept, i), error);
    if (i > spool->kept->len || !spool->used)
        return FALSE;
    reader->next = spool->chunk;
    reader->end = spool->chunk + spool->used;
    return TRUE;
}

const struct StrobeSpooled *strobe_spool_reader_next(StrobeSpoolReader *reader, GError **error)
{
    const struct StrobeSpooled *record;

    if (reader->next == reader->end && !next_chunk(reader, error))
        return NULL;
    record = (const void *)reader->next;
    reader->next += sizeof *record + record->field_bytes;
    return record;
}
