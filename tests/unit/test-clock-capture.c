/* SPDX-License-Identifier: Apache-2.0 */
/* Tests captures of simulated counters, which the capture writer writes and the reader reads. The
 * time of every record is as exact as the capture says, times are in order on each track, and the
 * writer's summary of the clock equals the reader's. */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "capture-writer.h"
#include "kind-table.h"
#include "reader.h"
#include "simulated-clock.h"
#include "intern.h"
#include "support.h"

#define STEP_NS 4000000
#define LONG_STEPS 700u /* duration of the long spans, in steps */
#define WORDS 4u

/* A capture that is being made. */
struct making {
    const SimulatedClock *world;
    SimulatedPairs *pairs;
    SimulatedCounter counter;
    StrobePool pool;
    StrobeCaptureWriter *writer;
    struct pool_block *block;
    guint64 *ticks; /* value of the counter at each step */
    guint64 n_steps;
};

static void write_metadata(struct making *m)
{
    static const char metadata[] = "{\"clock\": \"tsc\"}";
    g_assert_cmpint(
        strobe_capture_write_block(m->writer, STROBE_BLOCK_METADATA, metadata, sizeof metadata - 1),
        ==, 0);
    g_assert_cmpint(strobe_capture_write_definitions(m->writer, m->pool.header), ==, 0);
}

static void begin_capture(struct making *m, const SimulatedClock *world, const char *folder, int fd)
{
    StrobeClockTrend trend;

    memset(m, 0, sizeof *m);
    m->world = world;
    m->pairs = simulated_pairs_new(world, 7);
    m->counter = simulated_counter_new(world);
    m->ticks = g_new(guint64, (gsize)(m->pairs->at[m->pairs->n - 1] / STEP_NS) + 1);
    m->block = g_malloc0(STROBE_POOL_BLOCK_BYTES);
    m->writer = g_new0(StrobeCaptureWriter, 1);
    g_assert_cmpint(strobe_pool_create(&m->pool, STROBE_POOL_MIN_BYTES, folder, NULL), ==, 0);
    strobe_pool_intern_begin(m->pool.header);
    strobe_kind_begin(m->pool.header);
    g_assert_cmpint(strobe_capture_writer_init(m->writer), ==, 0);
    strobe_clock_trend_begin(&trend, m->pairs->pairs[0].ns_per_tick);
    strobe_capture_writer_resume(m->writer, fd, 1, &trend, &m->pairs->pairs[0]);
    write_metadata(m);
}

static void end_capture(struct making *m)
{
    strobe_capture_writer_clear(m->writer);
    strobe_pool_destroy(&m->pool, 1);
    simulated_pairs_free(m->pairs);
    g_free(m->writer);
    g_free(m->block);
    g_free(m->ticks);
}

/* Writes a span whose argument is the step of its begin; it ends at `step`. */
static void put_span(struct making *m, guint64 first, guint64 step)
{
    guint32 used = atomic_load(&m->block->used);
    guint64 words[WORDS] = {(guint64)STROBE_KIND_ID_MARKER << 16 | WORDS, m->ticks[first],
                            m->ticks[step], first << 32 | step};

    g_assert_cmpuint(used + sizeof words, <=, STROBE_BLOCK_DATA);
    memcpy((char *)(m->block + 1) + used, words, sizeof words);
    atomic_store(&m->block->used, used + (guint32)sizeof words);
}

/* Records spans up to the pair number `index`, and then takes this pair. Records nothing in every
 * fifth interval. */
static void record_until(struct making *m, guint index)
{
    gint64 until = m->pairs->at[index];

    for (; (gint64)m->n_steps * STEP_NS < until; m->n_steps++) {
        guint64 step = m->n_steps;
        m->ticks[step] = simulated_counter_at(&m->counter, (gint64)step * STEP_NS);
        if (index % 5 == 4 || step == 0)
            continue;
        put_span(m, step - 1, step);
        if (step % 100 == 0 && step > LONG_STEPS)
            put_span(m, step - LONG_STEPS, step);
    }
    strobe_capture_writer_set_pair(m->writer, &m->pairs->pairs[index]);
    m->block->sequence++;
    if (atomic_load(&m->block->used))
        g_assert_cmpint(strobe_capture_write_records(m->writer, m->block, 0, m->block->used), ==,
                        0);
    atomic_store(&m->block->used, 0);
}

static char *write_world(struct making *m, const SimulatedClock *world, const char *folder)
{
    char *path = g_build_filename(folder, "capture.strobe", NULL);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    g_assert_cmpint(fd, >=, 0);
    begin_capture(m, world, folder, fd);
    for (guint i = 1; i < m->pairs->n; i++)
        record_until(m, i);
    g_assert_cmpint(strobe_capture_write_seal(m->writer, m->ticks[0], m->ticks[m->n_steps - 1], 0),
                    ==, 0);
    return path;
}

/* ---- reading ---- */

struct reading {
    const SimulatedClock *world;
    guint64 bound;
    const StrobeClockEvent *events;
    guint n_events;
    gint64 last_end;
    guint64 n;
};

static gint64 find_allowed_error(const struct reading *r, gint64 ns)
{
    for (guint i = 0; i < r->n_events; i++)
        if (r->events[i].is_broken && r->events[i].begin_ns <= ns && ns <= r->events[i].end_ns)
            return MIN(r->events[i].end_ns - r->events[i].begin_ns, r->world->inside_ns);
    return (gint64)r->bound;
}

static void check_time(const struct reading *r, gint64 found, guint64 step)
{
    gint64 expected = simulated_time((gint64)step * STEP_NS);
    g_assert_cmpint(ABS(found - expected), <=, find_allowed_error(r, expected));
}

static void check_span(struct reading *r, const StrobeView *view)
{
    guint64 steps = strobe_view_u64(view, 0);

    r->n++;
    /* If the counter goes back, counts that occur twice within a second cannot be distinguished. */
    if (!r->world->goes_back || (steps >> 32) + 1 == (steps & G_MAXUINT32)) {
        check_time(r, view->begin_ns, steps >> 32);
        check_time(r, view->end_ns, steps & G_MAXUINT32);
    }
    if (!r->world->goes_back)
        g_assert_cmpint(view->end_ns, >=, r->last_end);
    r->last_end = view->end_ns;
}

static void check_summary(const StrobeClockSummary *reported, const StrobeClockSummary *found)
{
    g_assert_cmpuint(reported->error_ns, ==, found->error_ns);
    g_assert_cmpuint(reported->gap_ns, ==, found->gap_ns);
    g_assert_cmpuint(reported->residual_ns, ==, found->residual_ns);
    g_assert_cmpuint(reported->suspended_ns, ==, found->suspended_ns);
    g_assert_cmpuint(reported->broken_ns, ==, found->broken_ns);
    g_assert_cmpuint(reported->n_jumps, ==, found->n_jumps);
    g_assert_cmpuint(reported->n_knots, ==, found->n_knots);
}

static void read_world(const struct making *m, const char *path)
{
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(path, &error);
    StrobeView views[256];
    gsize n;

    g_assert_no_error(error);
    const StrobeReaderStats *stats = strobe_reader_stats(reader);
    struct reading r = {.world = m->world, .bound = stats->clock.error_ns};
    r.events = strobe_reader_clock_events(reader, &r.n_events);
    g_assert_cmpuint(r.bound, <=, (guint64)m->world->limit_ns);
    StrobeClockTrend trend = m->writer->trend;
    strobe_clock_trend_finish(&trend, m->ticks[m->n_steps - 1]);
    check_summary(&trend.summary, &stats->clock);
    while ((n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), &error)))
        for (gsize i = 0; i < n; i++)
            check_span(&r, &views[i]);
    g_assert_no_error(error);
    g_assert_cmpuint(r.n, >, m->n_steps / 2);
    g_assert_cmpuint(stats->n_outside, ==, 0);
    strobe_reader_free(reader);
}

static void test_world(gconstpointer data)
{
    char *folder = scratch_new();
    struct making making;
    g_autofree char *path = write_world(&making, data, folder);

    read_world(&making, path);
    end_capture(&making);
    scratch_remove(folder);
}

/* ---- hours in which nothing is recorded ---- */

#define IDLE_PAIRS 5000

static StrobeClockPair drifting_pair(gint64 second)
{
    /* the rate varies by 2 ppm within an hour */
    double wobble = 2e-6 * 3600 / (2 * G_PI) * (1 - cos(2 * G_PI * (double)second / 3600));
    gint64 ns = 1000000000000 + second * 1000000000;

    return (StrobeClockPair){.ticks = (guint64)((double)second * 3e9 + wobble * 3e9) + 1000000,
                             .monotonic_ns = ns,
                             .realtime_ns = ns + 1700000000000000000,
                             .boottime_ns = ns,
                             .gap = 100};
}

static int open_new(const char *folder, const char *name, char **path)
{
    *path = g_build_filename(folder, name, NULL);
    int fd = open(*path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    g_assert_cmpint(fd, >=, 0);
    return fd;
}

/* Writes one record and the seal, which also stores the pairs that were taken before. */
static void finish_idle(StrobeCaptureWriter *writer, struct pool_block *block)
{
    guint64 words[WORDS] = {(guint64)STROBE_KIND_ID_MARKER << 16 | WORDS,
                            drifting_pair(IDLE_PAIRS - 10).ticks,
                            drifting_pair(IDLE_PAIRS - 5).ticks, 0};

    memcpy(block + 1, words, sizeof words);
    g_assert_cmpint(strobe_capture_write_records(writer, block, 0, sizeof words), ==, 0);
    g_assert_cmpint(strobe_capture_write_seal(writer, drifting_pair(0).ticks,
                                              drifting_pair(IDLE_PAIRS - 1).ticks, 0),
                    ==, 0);
}

static void check_idle(const char *path, guint least_knots)
{
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(path, &error);
    StrobeView view;

    g_assert_no_error(error);
    const StrobeReaderStats *stats = strobe_reader_stats(reader);
    g_assert_cmpuint(stats->clock.n_knots, >=, least_knots);
    g_assert_cmpuint(stats->clock.n_knots, <=, STROBE_WRITER_PAIRS + 4);
    /* the bound is large, because the oldest of the kept pairs are far apart */
    g_assert_cmpuint(stats->clock.error_ns, <, 1000000);
    g_assert_cmpint(stats->begin_ns, ==, drifting_pair(0).realtime_ns);
    g_assert_cmpuint(strobe_reader_next(reader, &view, 1, &error), ==, 1);
    gint64 begin = drifting_pair(IDLE_PAIRS - 10).realtime_ns;
    g_assert_cmpint(ABS(view.begin_ns - begin), <, 20);
    g_assert_cmpint(ABS(view.end_ns - begin - 5000000000), <, 20);
    strobe_reader_free(reader);
}

/* Pairs that were taken while no block was written are stored before the next block, with the
 * latest one last. The same is true for a copy, which a flight recorder makes. */
static void test_idle(void)
{
    char *folder = scratch_new();
    g_autofree char *path = NULL, *copy_path = NULL;
    StrobeCaptureWriter *writer = g_new0(StrobeCaptureWriter, 1);
    StrobeCaptureWriter *copy = g_new0(StrobeCaptureWriter, 1);
    struct making m = {.writer = writer, .block = g_malloc0(STROBE_POOL_BLOCK_BYTES)};
    StrobeClockPair pair = drifting_pair(0);
    StrobeClockTrend trend;

    g_assert_cmpint(strobe_pool_create(&m.pool, STROBE_POOL_MIN_BYTES, folder, NULL), ==, 0);
    strobe_pool_intern_begin(m.pool.header);
    strobe_kind_begin(m.pool.header);
    g_assert_cmpint(strobe_capture_writer_init(writer), ==, 0);
    g_assert_cmpint(strobe_capture_writer_init(copy), ==, 0);
    strobe_clock_trend_begin(&trend, 0);
    strobe_capture_writer_resume(writer, open_new(folder, "a", &path), 1, &trend, &pair);
    write_metadata(&m);
    for (gint64 i = 1; i < IDLE_PAIRS; i++) {
        pair = drifting_pair(i);
        strobe_capture_writer_set_pair(writer, &pair);
    }
    strobe_capture_writer_begin_copy(copy, open_new(folder, "b", &copy_path), writer);
    /* a pair of the simulated clock, not of this machine */
    strobe_capture_writer_set_pair(copy, &pair);
    m.writer = copy;
    write_metadata(&m);
    finish_idle(writer, m.block);
    finish_idle(copy, m.block);
    check_idle(path, STROBE_WRITER_PAIRS / 2);
    check_idle(copy_path, STROBE_WRITER_PAIRS / 2);
    strobe_capture_writer_clear(writer);
    strobe_capture_writer_clear(copy);
    strobe_pool_destroy(&m.pool, 1);
    g_free(writer);
    g_free(copy);
    g_free(m.block);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < n_simulated_clocks; i++) {
        g_autofree char *path = g_strconcat("/clock-capture/", simulated_clocks[i].name, NULL);
        g_test_add_data_func(path, &simulated_clocks[i], test_world);
    }
    g_test_add_func("/clock-capture/idle", test_idle);
    return g_test_run();
}
