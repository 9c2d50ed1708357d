/* SPDX-License-Identifier: Apache-2.0 */
#include "spool.h"

#include <errno.h>
#include <string.h>
#include "error.h"
#include "memory-limit.h"

#define CHUNK STROBE_SPOOL_PIECE
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
    struct StrobeSpooled *newest; /* record added last, NULL: none that is there still */
    char *differences;            /* of a chunk, on its way */
    GArray *kept;                 /* of Kept: the oldest ones in memory, then those in the file */
    gsize in_memory, in_memory_max;
    StrobeSafeFile *file;
    StrobeSpoolTake take; /* NULL: full chunks go to the file */
    gpointer user;
    const gboolean *left_out; /* by kind; NULL: all are kept */
    StrobeSpoolTake take_left_out;
    gpointer left_out_user;
    struct StrobeSpooled *other; /* one that is left out, and its fields */
    gsize other_size;
};

StrobeSpool *strobe_spool_new(void)
{
    StrobeSpool *spool = g_new0(StrobeSpool, 1);

    spool->kept = g_array_new(FALSE, FALSE, sizeof(struct Kept));
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
    g_free(spool->other);
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

    spool->used = 0;
    if (spool->take) {
        spool->take(spool->user, spool->chunk, kept.whole);
        return TRUE;
    }
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

/* ---- what is left out ---- */

void strobe_spool_leave_out(StrobeSpool *spool, const gboolean *kinds, StrobeSpoolTake take,
                            gpointer user)
{
    spool->left_out = kinds;
    spool->take_left_out = take;
    spool->left_out_user = user;
}

/* The newest one has all its flags. */
static void tell_left_out(StrobeSpool *spool)
{
    if (spool->newest && spool->newest == spool->other)
        spool->take_left_out(spool->left_out_user, (const char *)spool->other,
                             sizeof *spool->other + spool->other->field_bytes);
}

static void *leave_out(StrobeSpool *spool, const struct StrobeSpooled *record, gsize n)
{
    if (spool->other_size < n) {
        g_free(spool->other);
        spool->other = g_malloc(n);
        spool->other_size = n;
    }
    *spool->other = *record;
    memset(spool->other + 1, 0, record->field_bytes);
    spool->newest = spool->other;
    return spool->other + 1;
}

/* ---- records in ---- */

void *strobe_spool_add(StrobeSpool *spool, const struct StrobeSpooled *record)
{
    gsize n = sizeof *record + record->field_bytes;

    if (spool->left_out) {
        tell_left_out(spool);
        if (spool->left_out[record->kind])
            return leave_out(spool, record, n);
    }
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

/* Into the room of a chunk. */
static gboolean read_chunk(StrobeSpool *spool, const struct Kept *kept, guint64 at, char *to,
                           GError **error)
{
    const char *from = kept->bytes ? kept->bytes : spool->differences;
    int number = 0;

    if (!kept->bytes)
        number = strobe_safe_file_read(spool->file, at, spool->differences, kept->length);
    if (!number && !strobe_spooled_take(from, kept->length, to, kept->whole))
        number = EIO;
    if (number)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot read derived records in the folder for temporary files: %s: %s",
                    strobe_temporary_folder(NULL), g_strerror(number));
    return number == 0;
}

void strobe_spool_hand_on(StrobeSpool *spool, StrobeSpoolTake take, gpointer user)
{
    spool->take = take;
    spool->user = user;
}

gboolean strobe_spool_read(StrobeSpool *spool, StrobeSpoolTake take, gpointer user, GError **error)
{
    const guint n = spool->kept->len;
    g_autofree char *chunks = n ? g_malloc(2 * CHUNK) : NULL; /* one in use, one for the next */
    gboolean good = TRUE;
    guint64 at = 0;

    for (guint i = 0; i < n && good; i++) {
        struct Kept *kept = &g_array_index(spool->kept, struct Kept, i);
        char *chunk = chunks + i % 2 * CHUNK;

        good = read_chunk(spool, kept, at, chunk, error);
        if (good)
            take(user, chunk, kept->whole);
        at += kept->bytes ? 0 : kept->length;
        g_clear_pointer(&kept->bytes, g_free);
    }
    if (n)
        take(user, NULL, 0);
    if (!good)
        return FALSE;
    forget_kept(spool);
    g_clear_pointer(&spool->file, strobe_safe_file_discard);
    return TRUE;
}

char *strobe_spool_swap(StrobeSpool *spool, char *other)
{
    char *piece = spool->chunk;

    spool->chunk = other ? other : g_malloc(CHUNK);
    return piece;
}

void strobe_spool_finish(StrobeSpool *spool)
{
    tell_left_out(spool);
    if (spool->take && spool->used)
        spool->take(spool->user, spool->chunk, spool->used);
    spool->used = 0;
    spool->newest = NULL;
}
