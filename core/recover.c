/* SPDX-License-Identifier: Apache-2.0 */
#include "recover.h"

#include <errno.h>
#include <fcntl.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "block-index.h"
#include "capture-writer.h"
#include "error.h"
#include "json-text.h"
#include "kind-table.h"
#include "pool.h"
#include "process.h"

/* Records later than this behind the last pair are none, where no clock of today says better. */
#define UNWRITTEN_NS 60000000000

/* What one walk over the capture finds out. */
struct survey {
    int fd;
    char *pool_path;
    char *pool_id;
    char *boot_id;
    gboolean has_facts, is_sealed;
    guint32 window;
    guint64 good_end; /* behind the last sound block */
    StrobeClockPair last_pair;
    StrobeClockTrend trend;
    GHashTable *written; /* lane << 48 ^ sequence to bytes written of that block */
    gboolean torn;
};

static guint64 *block_key(guint32 lane, guint64 sequence)
{
    guint64 key = (guint64)lane << 48 ^ sequence;
    return g_memdup2(&key, sizeof key);
}

static void take_facts(struct survey *survey, const StrobeBlockPlace *place)
{
    if (survey->has_facts || place->header.payload_bytes > STROBE_JSON_MAX_BYTES)
        return;
    g_autofree char *text = g_malloc(place->header.payload_bytes + 1u);
    if (!strobe_block_read(survey->fd, place, text))
        return;
    g_autoptr(JsonNode) root = strobe_json_parse(text, place->header.payload_bytes, "facts", NULL);
    if (!root)
        return;
    JsonObject *facts = json_node_get_object(root);
    survey->has_facts = TRUE;
    survey->window = place->header.window;
    survey->pool_path = g_strdup(strobe_json_member_text(facts, "pool"));
    survey->pool_id = g_strdup(strobe_json_member_text(facts, "pool_id"));
    survey->boot_id = g_strdup(strobe_json_member_text(facts, "boot_id"));
}

static gboolean on_block(void *user, const StrobeBlockPlace *place)
{
    struct survey *survey = user;
    const struct strobe_block_header *h = &place->header;

    survey->good_end = place->offset + h->payload_bytes;
    if (survey->trend.summary.n_knots == 0)
        strobe_clock_trend_begin(&survey->trend, h->pair.ns_per_tick);
    strobe_clock_trend_add(&survey->trend, &h->pair);
    if (h->pair.monotonic_ns >= survey->last_pair.monotonic_ns &&
        h->pair.monotonic_ns <= STROBE_CLOCK_NS_LIMIT)
        survey->last_pair = h->pair;
    if (h->type == STROBE_BLOCK_FACTS)
        take_facts(survey, place);
    else if (h->type == STROBE_BLOCK_SEAL)
        survey->is_sealed = TRUE;
    else if (h->type == STROBE_BLOCK_RECORDS && h->lane != STROBE_LANE_NONE)
        g_hash_table_insert(survey->written, block_key(h->lane, h->sequence),
                            GUINT_TO_POINTER(h->offset + h->payload_bytes));
    return TRUE;
}

static void on_damage(void *user, guint64 from, guint64 to, const char *reason)
{
    struct survey *survey = user;
    struct stat st;

    survey->torn = fstat(survey->fd, &st) == 0 && to == (guint64)st.st_size;
}

/* Is it this capture's pool? A path that a capture names is not to be believed by itself. */
static gboolean belongs_to(const struct survey *survey, const struct pool_header *pool)
{
    struct stat mine, named;
    char own_id[33];

    strobe_pool_id(pool, own_id);
    if (strcmp(own_id, survey->pool_id))
        return FALSE;
    if (fstat(survey->fd, &mine) || stat(pool->capture, &named))
        /* The capture was moved since: it is the one that the pool's window was being written to.
         */
        return errno == ENOENT && !survey->is_sealed &&
               atomic_load(&pool->window) == survey->window;
    return mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

static gboolean open_pool(struct survey *survey, StrobePool *pool)
{
    g_autofree char *name = g_path_get_basename(survey->pool_path);

    if (!g_path_is_absolute(survey->pool_path) || !g_str_has_prefix(name, "strobe-") ||
        !g_str_has_suffix(name, ".pool") || strobe_pool_open(pool, survey->pool_path))
        return FALSE;
    if (!belongs_to(survey, pool->header)) {
        strobe_pool_destroy(pool, 0);
        return FALSE;
    }
    return TRUE;
}

/* Latest time in committed bytes: the window's end is no earlier. */
static guint64 latest_in(const struct pool_block *block, guint32 from, guint32 to, guint64 latest,
                         guint64 limit)
{
    const char *base = (const char *)(block + 1);

    while (from + 24 <= to) {
        guint64 words[3];
        memcpy(words, base + from, sizeof words);
        guint32 bytes = (guint32)(words[0] & STROBE_RECORD_WORDS_MASK) * 8;
        if (bytes == 0)
            break;
        if (((words[0] >> 16) & 0xffff) != STROBE_KIND_STRING) {
            for (int i = 1; i < 3; i++)
                if (words[i] > latest && words[i] < limit)
                    latest = words[i];
        }
        from += bytes;
    }
    return latest;
}

/* A lane's blocks must follow each other as they were filled. */
static int compare_blocks(gconstpointer a, gconstpointer b)
{
    const struct pool_block *x = *(struct pool_block *const *)a;
    const struct pool_block *y = *(struct pool_block *const *)b;

    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static GPtrArray *blocks_of_window(const struct pool_header *pool, guint32 window)
{
    GPtrArray *blocks = g_ptr_array_new();

    for (guint32 i = 0; i < pool->n_blocks; i++) {
        struct pool_block *block = strobe_pool_block(pool, i);
        if (atomic_load(&block->owned) && block->window == window)
            g_ptr_array_add(blocks, block);
    }
    g_ptr_array_sort(blocks, compare_blocks);
    return blocks;
}

/* ---- clock ---- */

/* Does this machine's clock go on from where the capture's last pair was taken? Not after a reboot,
 * with another kind of clock, or if the counter was disturbed since. */
static gboolean clock_goes_on(const struct survey *survey, const struct pool_header *pool,
                              const StrobeClockPair *now)
{
    const StrobeClockPair *last = &survey->last_pair;
    char boot_id[64];

    strobe_boot_id(boot_id);
    if (strcmp(boot_id, survey->boot_id) || pool->clock_counter != (guint32)strobe_clock_counter ||
        now->ticks <= last->ticks || now->monotonic_ns <= last->monotonic_ns)
        return FALSE;
    double ticks = (double)(now->ticks - last->ticks);
    double rate = (double)(now->monotonic_ns - last->monotonic_ns) / ticks;
    double known = survey->trend.ns_per_tick;
    return known <= 0 ||
           strobe_clock_agrees(rate, known, ((double)now->gap + last->gap) * known / ticks);
}

/* A pair at `ticks`, on the way from the last one to `now`; without that, extrapolated. What is
 * appended was recorded soon after the last pair, and `now` may be days later. */
static StrobeClockPair pair_at(const struct survey *survey, guint64 ticks,
                               const StrobeClockPair *now)
{
    StrobeClockPair pair = survey->last_pair;
    double distance = ticks > pair.ticks ? (double)(ticks - pair.ticks) : 0;
    double rate = survey->trend.ns_per_tick > 0 ? survey->trend.ns_per_tick : 1;
    double gap = pair.gap + distance * 2e-6;

    if (now)
        rate = (double)(now->monotonic_ns - pair.monotonic_ns) / (double)(now->ticks - pair.ticks);
    gint64 ns = (gint64)CLAMP(distance * rate, 0, 1e18);
    pair.ticks = MAX(ticks, pair.ticks);
    pair.monotonic_ns = (gint64)((guint64)pair.monotonic_ns + (guint64)ns);
    pair.realtime_ns = (gint64)((guint64)pair.realtime_ns + (guint64)ns);
    pair.boottime_ns = (gint64)((guint64)pair.boottime_ns + (guint64)ns);
    pair.gap = now && gap < STROBE_CLOCK_COMPUTED ? (guint32)gap : STROBE_CLOCK_COMPUTED;
    return pair;
}

/* The pair to go on with, at the latest time in the pool. */
static StrobeClockPair latest_pair(const struct survey *survey, const struct pool_header *pool,
                                   const GPtrArray *blocks)
{
    guint64 latest = survey->last_pair.ticks;
    StrobeClockPair taken = strobe_clock_pair(), *now = &taken;
    double rate = survey->trend.ns_per_tick > 0 ? survey->trend.ns_per_tick : 1;

    if (!clock_goes_on(survey, pool, now))
        now = NULL;
    guint64 limit = now ? now->ticks : latest + (guint64)MIN(UNWRITTEN_NS / rate, 1e18);
    for (guint i = 0; i < blocks->len; i++) {
        const struct pool_block *block = g_ptr_array_index(blocks, i);
        guint32 used = MIN(atomic_load(&block->used), STROBE_BLOCK_DATA);
        latest = latest_in(block, 0, used, latest, limit);
    }
    return pair_at(survey, latest, now);
}

/* ---- finishing ---- */

static int write_blocks(struct survey *survey, StrobeCaptureWriter *writer, const GPtrArray *blocks)
{
    int error = 0;

    for (guint i = 0; i < blocks->len && error == 0; i++) {
        const struct pool_block *block = g_ptr_array_index(blocks, i);
        guint32 used = MIN(atomic_load(&block->used), STROBE_BLOCK_DATA);
        g_autofree guint64 *key = block_key(block->lane, block->sequence);
        guint32 from = GPOINTER_TO_UINT(g_hash_table_lookup(survey->written, key));
        if (used > from)
            error = strobe_capture_write_records(writer, block, from, used);
    }
    return error;
}

static int finish_capture(struct survey *survey, int fd, const struct pool_header *pool,
                          guint64 size)
{
    g_autofree StrobeCaptureWriter *writer = g_new0(StrobeCaptureWriter, 1);
    g_autofree StrobeLossCounts *seen = g_new(StrobeLossCounts, 1);
    g_autoptr(GPtrArray) blocks = blocks_of_window(pool, survey->window);
    int error = strobe_capture_writer_init(writer);

    if (error)
        return error;
    strobe_clock_init();
    StrobeClockPair pair = latest_pair(survey, pool, blocks);
    strobe_capture_writer_resume(writer, fd, survey->window, &survey->trend, &pair);
    error = strobe_capture_write_definitions(writer, pool);
    if (error == 0)
        error = write_blocks(survey, writer, blocks);
    if (error == 0)
        error = strobe_capture_write_losses(writer, pool, STROBE_KIND_ID_LOSS,
                                            survey->last_pair.ticks, pair.ticks, seen);
    if (error == 0)
        error = strobe_capture_write_unfinished(writer, pool, pair.ticks);
    if (error == 0)
        error = strobe_capture_write_seal(writer, pool->window_begin, pair.ticks, 1);
    if (error && ftruncate(fd, (off_t)size))
        error = errno; /* losses and open spans would be there twice after the next try */
    strobe_capture_writer_clear(writer);
    return error;
}

/* Is there anything in the pool that the capture lacks? */
static gboolean needs_pool(const struct survey *survey, const struct pool_header *pool)
{
    return !survey->is_sealed && atomic_load(&pool->window) == survey->window;
}

static gboolean recover_open(struct survey *survey, const char *capture, StrobePool *pool,
                             gboolean *live, GError **error)
{
    int result = 0;

    if (strobe_pool_is_live(pool)) {
        *live = !survey->is_sealed;
        strobe_pool_destroy(pool, 0);
        return TRUE;
    }
    if (needs_pool(survey, pool->header)) {
        guint64 size = survey->good_end;
        int fd = open(capture, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            result = errno;
        else if (survey->torn && ftruncate(fd, (off_t)survey->good_end))
            result = errno;
        else
            result = finish_capture(survey, fd, pool->header, size);
    }
    strobe_pool_destroy(pool, result == 0);
    if (result)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot finish %s from the pool of its program, which is kept: %s", capture,
                    g_strerror(result));
    return result == 0;
}

static gboolean walk(struct survey *survey, GError **error)
{
    struct stat st;

    if (fstat(survey->fd, &st)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot read: %s", g_strerror(errno));
        return FALSE;
    }
    return strobe_block_walk(survey->fd, (guint64)st.st_size, on_block, on_damage, survey, error);
}

gboolean strobe_recover(const char *capture, gboolean *live, GError **error)
{
    struct survey survey = {.fd = open(capture, O_RDONLY | O_CLOEXEC | O_NONBLOCK),
                            .last_pair.monotonic_ns = -STROBE_CLOCK_NS_LIMIT};
    gboolean ok = TRUE, ignored;
    StrobePool pool;

    if (!live)
        live = &ignored;
    *live = FALSE;
    if (survey.fd < 0) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot open %s: %s", capture,
                    g_strerror(errno));
        return FALSE;
    }
    survey.written = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    flock(survey.fd, LOCK_EX); /* two analyses at once finish it once */
    ok = walk(&survey, error);
    if (ok && survey.has_facts && open_pool(&survey, &pool))
        ok = recover_open(&survey, capture, &pool, live, error);
    close(survey.fd);
    g_hash_table_unref(survey.written);
    g_free(survey.pool_path);
    g_free(survey.pool_id);
    g_free(survey.boot_id);
    return ok;
}
