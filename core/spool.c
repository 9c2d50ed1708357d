/* SPDX-License-Identifier: Apache-2.0 */
#include "spool.h"

#include <string.h>
#include "error.h"
#include "resources.h"

#define CHUNK STROBE_SPOOL_PIECE
#define KEPT_MAX 64u
#define KINDS 16u        /* whose times are told apart */
#define MEMORY_PARTS 16u /* of the memory, one for the first chunks of a spool */
#define SPOOLS_MAX 4u    /* so many, for those of all spools */

static gint n_kept_by_all; /* chunks; atomic */

struct Kept {
    char *chunk;
    gsize bytes;
};

struct StrobeSpool {
    char *chunk; /* being filled */
    gsize used;
    struct StrobeSpooled *newest; /* record added last, NULL: none that is there still */
    struct Kept *kept;            /* chunks in memory, the oldest ones, and how many they may be */
    guint n_kept, n_kept_max;
    GArray *sizes; /* of the chunks in the file */
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

    spool->sizes = g_array_new(FALSE, FALSE, sizeof(gsize));
    spool->n_kept_max = (guint)MIN(strobe_resources_memory() / MEMORY_PARTS / CHUNK, KEPT_MAX);
    spool->kept = g_new(struct Kept, spool->n_kept_max);
    return spool;
}

/* Room for one more chunk in memory. What follows one that is in the file goes there too. */
static gboolean may_keep(const StrobeSpool *spool)
{
    if (spool->file || spool->n_kept == spool->n_kept_max)
        return FALSE;
    if (g_atomic_int_add(&n_kept_by_all, 1) < (gint)(SPOOLS_MAX * spool->n_kept_max))
        return TRUE;
    g_atomic_int_add(&n_kept_by_all, -1);
    return FALSE;
}

static void free_kept(StrobeSpool *spool)
{
    for (guint i = 0; i < spool->n_kept; i++)
        g_free(spool->kept[i].chunk);
    g_atomic_int_add(&n_kept_by_all, -(gint)spool->n_kept);
    spool->n_kept = 0;
}

void strobe_spool_free(StrobeSpool *spool)
{
    if (!spool)
        return;
    strobe_safe_file_discard(spool->file);
    g_array_unref(spool->sizes);
    free_kept(spool);
    g_free(spool->kept);
    g_free(spool->chunk);
    g_free(spool->other);
    g_free(spool);
}

/* ---- what goes to the file ---- */

/* Both times as differences, which pack better: begin to that of the kind's record before, end to
 * begin. */
static void bend_times(char *chunk, gsize bytes, gboolean is_back)
{
    guint64 before[KINDS] = {0};

    for (gsize at = 0; at < bytes;) {
        struct StrobeSpooled *record = (void *)(chunk + at);
        guint64 *last = &before[record->kind % KINDS];
        guint64 begin = (guint64)record->begin_ns, end = (guint64)record->end_ns;

        record->begin_ns = (gint64)(is_back ? begin + *last : begin - *last);
        *last = is_back ? begin + *last : begin;
        record->end_ns = (gint64)(is_back ? end + *last : end - *last);
        at += sizeof *record + record->field_bytes;
    }
}

static gboolean spill(StrobeSpool *spool)
{
    if (spool->take) {
        spool->take(spool->user, spool->chunk, spool->used);
        spool->used = 0;
        return TRUE;
    }
    if (may_keep(spool)) {
        spool->kept[spool->n_kept++] = (struct Kept){spool->chunk, spool->used};
        spool->chunk = g_malloc(CHUNK);
        spool->used = 0;
        return TRUE;
    }
    bend_times(spool->chunk, spool->used, FALSE);
    if (!spool->file)
        spool->file = strobe_resources_packed_scratch(NULL, 0);
    if (!spool->file || strobe_safe_file_write(spool->file, spool->chunk, spool->used))
        return FALSE;
    g_array_append_val(spool->sizes, spool->used);
    spool->used = 0;
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

static gboolean read_chunk(StrobeSpool *spool, guint64 at, char *to, gsize bytes, GError **error)
{
    int number = strobe_safe_file_read(spool->file, at, to, bytes);

    if (!number)
        bend_times(to, bytes, TRUE);
    if (number)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot read derived records in the folder for temporary files: %s: %s",
                    strobe_resources_folder(NULL), g_strerror(number));
    return number == 0;
}

void strobe_spool_hand_on(StrobeSpool *spool, StrobeSpoolTake take, gpointer user)
{
    spool->take = take;
    spool->user = user;
}

gboolean strobe_spool_read(StrobeSpool *spool, StrobeSpoolTake take, gpointer user, GError **error)
{
    g_autofree char *chunk = spool->sizes->len ? g_malloc(CHUNK) : NULL;
    guint64 at = 0;

    for (guint i = 0; i < spool->n_kept; i++)
        take(user, spool->kept[i].chunk, spool->kept[i].bytes);
    free_kept(spool);
    for (guint i = 0; i < spool->sizes->len; i++) {
        gsize bytes = g_array_index(spool->sizes, gsize, i);

        if (!read_chunk(spool, at, chunk, bytes, error))
            return FALSE;
        take(user, chunk, bytes);
        at += bytes;
    }
    g_array_set_size(spool->sizes, 0);
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
