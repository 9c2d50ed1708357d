/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the entries of tracks in a pool, which are assigned, freed and assigned again. */
#include <unistd.h>
#include "intern.h"
#include "support.h"
#include "track-table.h"

typedef struct {
    char *folder;
    StrobePool pool;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
    f->folder = scratch_new();
    g_assert_cmpint(strobe_pool_create(&f->pool, STROBE_POOL_MIN_BYTES, f->folder, NULL), ==, 0);
    strobe_pool_intern_begin(f->pool.header);
}

static void tear_down(Fixture *f, gconstpointer data)
{
    strobe_pool_destroy(&f->pool, 1);
    scratch_remove(f->folder);
}

static void sweep_tracks(struct pool_header *header)
{
    strobe_track_sweep_begin(header);
    strobe_track_sweep_end(header);
}

static uint32_t place_on(const struct pool_header *header, uint32_t thread_buffer)
{
    return strobe_pool_thread_buffer(header, thread_buffer)->track_place;
}

static StrobeTrack thread_track(guint64 number, const char *name)
{
    return (StrobeTrack){.struct_size = sizeof(StrobeTrack),
                         .type = STROBE_TRACK_THREAD,
                         .device = -1,
                         .id = number,
                         .name = name};
}

/* An entry is freed only after its thread has ended, and a cycle of the writer that began after
 * that is over. */
static void test_order(Fixture *f, gconstpointer data)
{
    struct pool_header *header = f->pool.header;
    struct strobe_stored_track track;

    g_assert_cmpuint(strobe_track_begin_thread(header, 0), ==, 1);
    uint32_t place = place_on(header, 0);
    sweep_tracks(header);
    g_assert_true(strobe_track_at(header, place - 1, &track));
    g_assert_cmpuint(track.number, ==, (guint64)gettid());
    strobe_track_sweep_begin(header);
    strobe_track_end_thread(header, 0);
    g_assert_cmpuint(place_on(header, 0), ==, 0);
    strobe_track_end_thread(header, 0);
    strobe_track_sweep_end(header);
    g_assert_true(strobe_track_at(header, place - 1, &track));
    g_assert_cmpuint(strobe_track_begin_thread(header, 1), ==, 2);
    g_assert_cmpuint(place_on(header, 1), !=, place);
    sweep_tracks(header);
    g_assert_false(strobe_track_at(header, place - 1, &track));
    g_assert_cmpuint(strobe_track_begin_thread(header, 0), ==, 3);
    g_assert_cmpuint(place_on(header, 0), ==, place);
}

/* With a ring, an entry is freed only after the blocks with the thread's records have been
 * overwritten. */
static void test_ring(Fixture *f, gconstpointer data)
{
    struct pool_header *header = f->pool.header;
    struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(header, 3);
    struct strobe_stored_track track;

    strobe_track_begin_thread(header, 3);
    uint32_t place = place_on(header, 3) - 1;
    thread_buffer->sequence = 7;
    strobe_track_end_thread(header, 3);
    thread_buffer->sequence = 9;
    for (uint64_t block = 0; block < 7; block++) {
        atomic_store(&thread_buffer->recycled, block);
        strobe_track_sweep_ring(header);
        g_assert_true(strobe_track_at(header, place, &track));
    }
    atomic_store(&thread_buffer->recycled, 7);
    strobe_track_sweep_ring(header);
    g_assert_false(strobe_track_at(header, place, &track));
}

/* A full table returns 0 and counts this. After the next cycle it has room again. */
static void test_full(Fixture *f, gconstpointer data)
{
    struct pool_header *header = f->pool.header;

    for (guint i = 0; i < STROBE_POOL_THREAD_TRACKS; i++) {
        strobe_track_end_thread(header, 0);
        g_assert_cmpuint(strobe_track_begin_thread(header, 0), ==, i + 1);
    }
    strobe_track_end_thread(header, 0);
    for (guint i = 1; i <= 3; i++) {
        g_assert_cmpuint(strobe_track_begin_thread(header, 0), ==, 0);
        g_assert_cmpuint(place_on(header, 0), ==, 0);
        g_assert_cmpuint(atomic_load(&header->n_trackless), ==, i);
    }
    StrobeTrack stream = {.struct_size = sizeof stream, .type = STROBE_TRACK_STREAM, .id = 7};
    g_assert_cmpuint(strobe_track_find_or_add(header, &stream), ==, STROBE_POOL_THREAD_TRACKS + 1);
    sweep_tracks(header);
    g_assert_cmpuint(strobe_track_begin_thread(header, 0), ==, STROBE_POOL_THREAD_TRACKS + 2);
    g_assert_cmpuint(strobe_track_find_or_add(header, &stream), ==, STROBE_POOL_THREAD_TRACKS + 1);
}

static void test_others(Fixture *f, gconstpointer data)
{
    struct pool_header *header = f->pool.header;
    StrobeTrack track = {.struct_size = sizeof track, .type = STROBE_TRACK_STREAM, .id = 1};
    uint32_t first = strobe_track_find_or_add(header, &track);

    track.name = "Stream";
    uint32_t second = strobe_track_find_or_add(header, &track);
    g_assert_cmpuint(first, !=, second);
    g_assert_cmpuint(strobe_track_find_or_add(header, &track), ==, second);
    for (guint i = 2; i < STROBE_POOL_OTHER_TRACKS; i++) {
        track.id = i;
        g_assert_cmpuint(strobe_track_find_or_add(header, &track), ==, i + 1);
    }
    track.id = STROBE_POOL_OTHER_TRACKS;
    g_assert_cmpuint(strobe_track_find_or_add(header, &track), ==, 0);
    track.id = 5;
    g_assert_cmpuint(strobe_track_find_or_add(header, &track), ==, 6);
}

/* A collector that has got the id of a thread's track may keep the id, so the track exists longer
 * than its thread. */
static void test_kept(Fixture *f, gconstpointer data)
{
    struct pool_header *header = f->pool.header;
    struct strobe_stored_track track;
    StrobeTrack mine = thread_track((guint64)gettid(), NULL);

    uint32_t old = strobe_track_begin_thread(header, 0);
    strobe_track_end_thread(header, 0);
    uint32_t id = strobe_track_begin_thread(header, 0);
    g_assert_cmpuint(id, !=, old);
    g_assert_cmpuint(strobe_track_find_or_add(header, &mine), ==, id);
    uint32_t kept = place_on(header, 0) - 1;
    strobe_track_end_thread(header, 0);
    strobe_track_sweep_ring(header);
    sweep_tracks(header);
    sweep_tracks(header);
    g_assert_true(strobe_track_at(header, kept, &track));
    g_assert_cmpuint(track.id, ==, id);
    g_assert_cmpuint(strobe_track_find_or_add(header, &mine), ==, id);
    /* A track without a name and one with a name that a collector gives are separate tracks. */
    StrobeTrack silent = thread_track(1, NULL), named = thread_track(mine.id, "named");
    id = strobe_track_find_or_add(header, &silent);
    g_assert_cmpuint(id, !=, 0);
    g_assert_cmpuint(strobe_track_find_or_add(header, &silent), ==, id);
    g_assert_cmpuint(strobe_track_find_or_add(header, &named), >, id);
}

/* Tests a track with its own clock and one with another track's clock. Two tracks that differ only
 * in their clocks are different. */
static void test_clocks(Fixture *f, gconstpointer data)
{
    struct pool_header *header = f->pool.header;
    struct strobe_stored_track stored;
    StrobeTrack track = {.struct_size = sizeof track,
                         .type = STROBE_TRACK_STREAM,
                         .clock = STROBE_CLOCK_OF_TRACK,
                         .name = "device"};
    uint32_t own = strobe_track_find_or_add(header, &track);

    track.clock_track = own;
    uint32_t other = strobe_track_find_or_add(header, &track);
    g_assert_cmpuint(other, !=, own);
    g_assert_cmpuint(strobe_track_find_or_add(header, &track), ==, other);
    g_assert_true(strobe_track_at(header, STROBE_POOL_THREAD_TRACKS, &stored));
    g_assert_cmpuint(stored.clock, ==, STROBE_CLOCK_OF_TRACK);
    g_assert_true(strobe_track_at(header, STROBE_POOL_THREAD_TRACKS + 1, &stored));
    g_assert_cmpuint(stored.clock, ==, STROBE_CLOCK_OF_TRACK + own);
    /* the struct of a caller with an earlier ABI, which ends before the member */
    track.struct_size = offsetof(StrobeTrack, clock_track);
    g_assert_cmpuint(strobe_track_find_or_add(header, &track), ==, own);
    /* a value of a clock that does not exist */
    track.clock = STROBE_CLOCK_OF_TRACK + 1;
    track.name = "odd";
    g_assert_cmpuint(strobe_track_find_or_add(header, &track), !=, 0);
    g_assert_true(strobe_track_at(header, STROBE_POOL_THREAD_TRACKS + 2, &stored));
    g_assert_cmpuint(stored.clock, ==, STROBE_CLOCK_HOST);
}

#define CHURNERS 4u
/* number of tracks of each thread, more than there are entries; fewer with a sanitizer, with which
 * the sweeps take minutes */
#define ROUNDS (IS_SANITIZED ? 6000u : 20000u)
_Static_assert(ROUNDS > STROBE_POOL_THREAD_TRACKS / CHURNERS, "places are used again");

struct churn {
    struct pool_header *header;
    guint thread_buffer;
    guint32 ids[ROUNDS];
};

static gpointer churn_tracks(gpointer data)
{
    struct churn *c = data;
    struct strobe_stored_track track;

    for (guint i = 0; i < ROUNDS; i++) {
        uint32_t id = strobe_track_begin_thread(c->header, c->thread_buffer);
        for (; id == 0; id = strobe_track_begin_thread(c->header, c->thread_buffer))
            g_usleep(100); /* waits for the sweeping thread, which may have no processor */
        g_assert_true(
            strobe_track_at(c->header, place_on(c->header, c->thread_buffer) - 1, &track));
        g_assert_cmpuint(track.id, ==, id);
        if (i % 1000 == 0) {
            StrobeTrack mine = thread_track((guint64)gettid(), NULL);
            g_assert_cmpuint(strobe_track_find_or_add(c->header, &mine), ==, id);
        }
        strobe_track_end_thread(c->header, c->thread_buffer);
        c->ids[i] = id;
        if (i % 100 == 0)
            g_usleep(200);
    }
    return NULL;
}

/* Threads begin and end while entries are freed. No id and no entry may be assigned twice. */
static void test_churn(Fixture *f, gconstpointer data)
{
    g_autofree struct churn *churns = g_new0(struct churn, CHURNERS);
    g_autofree guint8 *seen = g_new0(guint8, CHURNERS * ROUNDS + 1);
    GThread *threads[CHURNERS];

    for (guint i = 0; i < CHURNERS; i++) {
        churns[i].header = f->pool.header;
        churns[i].thread_buffer = i;
        threads[i] = g_thread_new("churn", churn_tracks, &churns[i]);
    }
    while (atomic_load(&f->pool.header->n_threads_ended) < CHURNERS * ROUNDS)
        sweep_tracks(f->pool.header);
    for (guint i = 0; i < CHURNERS; i++) {
        g_thread_join(threads[i]);
        for (guint k = 0; k < ROUNDS; k++) {
            g_assert_cmpuint(churns[i].ids[k], <=, CHURNERS * ROUNDS);
            g_assert_cmpuint(seen[churns[i].ids[k]]++, ==, 0);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/track-table/order", Fixture, NULL, set_up, test_order, tear_down);
    g_test_add("/track-table/ring", Fixture, NULL, set_up, test_ring, tear_down);
    g_test_add("/track-table/full", Fixture, NULL, set_up, test_full, tear_down);
    g_test_add("/track-table/others", Fixture, NULL, set_up, test_others, tear_down);
    g_test_add("/track-table/kept", Fixture, NULL, set_up, test_kept, tear_down);
    g_test_add("/track-table/clocks", Fixture, NULL, set_up, test_clocks, tear_down);
    g_test_add("/track-table/churn", Fixture, NULL, set_up, test_churn, tear_down);
    return g_test_run();
}
