/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the policies for a full buffer: drop records, wait, or overwrite the oldest records, of
 * which dumps can be made. The load is higher than the disk can store, and each record must be
 * stored or counted. */
#include <string.h>
#include <strobe/kinds.h>
#include "pool.h"
#include "recorder.h"
#include "ring.h"
#include "support.h"

#define THREADS 3

/* number of records of each thread; all together are more than a pool of 8 MB can hold */
#define OVERFLOW (300000 / THREADS)

static int keep_on; /* atomic */
static guint64 offered[THREADS];

/* Records with numbers from 0 on, at full speed. */
static gpointer mark_all(gpointer data)
{
    guint index = GPOINTER_TO_UINT(data);
    guint64 i = 0;

    for (; (g_atomic_int_get(&keep_on) || i < OVERFLOW) && i < 100000000; i++)
        strobe_range_end(strobe_range_begin_argument("load", i));
    offered[index] = i;
    return NULL;
}

static void start_load(GThread *threads[THREADS])
{
    g_atomic_int_set(&keep_on, 1);
    for (guint i = 0; i < THREADS; i++)
        threads[i] = g_thread_new("load", mark_all, GUINT_TO_POINTER(i));
}

static void stop_load(GThread *threads[THREADS])
{
    g_atomic_int_set(&keep_on, 0);
    for (guint i = 0; i < THREADS; i++)
        g_thread_join(threads[i]);
}

/* The stored and the lost records of one track of a capture. */
struct thread_buffer_sum {
    guint64 track, stored, first, last, lost, overwritten;
    gint64 begin_ns, end_ns;
    gboolean has_gap;
};

struct sums {
    struct thread_buffer_sum thread_buffers[2 * THREADS];
    guint n;
    guint64 lost[STROBE_LOSS_CAUSES];
};

static struct thread_buffer_sum *thread_buffer_of(struct sums *sums, guint64 track)
{
    guint i;

    for (i = 0; i < sums->n && sums->thread_buffers[i].track != track; i++)
        ;
    g_assert_cmpuint(i, <, G_N_ELEMENTS(sums->thread_buffers));
    if (i == sums->n)
        sums->thread_buffers[sums->n++] = (struct thread_buffer_sum){.track = track};
    return &sums->thread_buffers[i];
}

static void sum_loss(struct sums *sums, const StrobeView *view)
{
    guint64 count = strobe_view_u64(view, offsetof(struct strobe_loss, count));
    guint32 cause = strobe_view_u32(view, offsetof(struct strobe_loss, cause));
    guint32 track = strobe_view_u32(view, offsetof(struct strobe_loss, thread));

    g_assert_cmpuint(cause, <, STROBE_LOSS_CAUSES);
    sums->lost[cause] += count;
    if (track == 0)
        return;
    struct thread_buffer_sum *thread_buffer = thread_buffer_of(sums, track);
    if (cause == STROBE_LOSS_OVERWRITTEN)
        thread_buffer->overwritten += count;
    else
        thread_buffer->lost += count;
}

static void sum_record(const StrobeView *view, StrobeText name, gpointer user)
{
    struct sums *sums = user;

    if (strcmp(view->kind->name, "loss") == 0)
        sum_loss(sums, view);
    if (strcmp(name.bytes, "load") || (view->flags & STROBE_VIEW_UNFINISHED))
        return;
    struct thread_buffer_sum *thread_buffer = thread_buffer_of(sums, view->track);
    guint64 number = strobe_view_u64(view, 0);
    if (thread_buffer->stored++ == 0) {
        thread_buffer->first = number;
        thread_buffer->begin_ns = view->begin_ns;
    } else {
        g_assert_cmpuint(number, >, thread_buffer->last);
        thread_buffer->has_gap |= number != thread_buffer->last + 1;
    }
    thread_buffer->last = number;
    thread_buffer->end_ns = view->end_ns;
}

static struct sums sum_capture(const char *path)
{
    struct sums sums = {0};

    read_capture(path, NULL, sum_record, &sums);
    return sums;
}

/* Checks that the records of a track are stored, lost or overwritten. All numbers up to the last
 * stored one were offered, because numbers begin at 0. If none is lost, the stored ones have no
 * gap, and all before the first are overwritten. */
static void check_ring_thread_buffer(const struct thread_buffer_sum *thread_buffer)
{
    g_assert_cmpuint(thread_buffer->stored + thread_buffer->lost + thread_buffer->overwritten, >=,
                     thread_buffer->last + 1);
    if (thread_buffer->lost == 0) {
        g_assert_false(thread_buffer->has_gap);
        g_assert_cmpuint(thread_buffer->first, ==, thread_buffer->overwritten);
    }
}

static char *capture_in(const char *directory)
{
    return g_build_filename(directory, "FRAMEWORK", "capture.strobe", NULL);
}

/* ---- block ---- */

static void test_block(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{}", "\"buffer\": {\"size\": \"8MB\", \"policy\": \"block\"}");
    GThread *threads[THREADS];
    guint64 all = 0;

    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    start_load(threads);
    g_usleep(test_count("STROBE_TEST_LOAD_MS", 300) * 1000);
    stop_load(threads);
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_OK);
    g_assert_cmpstr(strobe_session_diagnostics(session), ==, "");
    g_autofree char *capture = capture_of(session);
    struct sums sums = sum_capture(capture);
    for (guint i = 0; i < sums.n; i++) {
        g_assert_cmpuint(sums.thread_buffers[i].first, ==, 0);
        g_assert_false(sums.thread_buffers[i].has_gap);
        all += sums.thread_buffers[i].stored;
    }
    g_assert_cmpuint(all, ==, offered[0] + offered[1] + offered[2]);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* The end of a window releases threads that wait for a free block. */
static void test_block_end(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{}", "\"buffer\": {\"size\": \"8MB\", \"policy\": \"block\"}");
    GThread *threads[THREADS];

    strobe_session_start(session, NULL);
    start_load(threads);
    for (guint i = 0; i < 5; i++) {
        g_usleep(50000);
        g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_OK);
        g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    }
    stop_load(threads);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- ring ---- */

#define RING "\"buffer\": {\"size\": \"8MB\", \"policy\": \"ring\"}"

static void test_ring(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", RING);
    GThread *threads[THREADS];
    guint64 sum = 0;

    strobe_session_start(session, NULL);
    start_load(threads);
    g_usleep(test_count("STROBE_TEST_LOAD_MS", 300) * 1000);
    stop_load(threads);
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    struct sums sums = sum_capture(capture);
    g_assert_cmpuint(sums.lost[STROBE_LOSS_OVERWRITTEN], >, 0);
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        sum += sums.lost[i];
    for (guint i = 0; i < sums.n; i++) {
        check_ring_thread_buffer(&sums.thread_buffers[i]);
        sum += sums.thread_buffers[i].stored;
    }
    g_assert_cmpuint(sum, ==, offered[0] + offered[1] + offered[2]);
    g_test_message("%" G_GUINT64_FORMAT " offered, %" G_GUINT64_FORMAT
                   " overwritten, %" G_GUINT64_FORMAT " lost",
                   sum, sums.lost[STROBE_LOSS_OVERWRITTEN], sums.lost[STROBE_LOSS_POOL_EMPTY]);
    /* If only records are missing that a flight recorder may overwrite, there is no warning. */
    if (sums.lost[STROBE_LOSS_POOL_EMPTY] == 0)
        g_assert_cmpstr(strobe_session_diagnostics(session), ==, "");
    strobe_session_free(session);
    scratch_remove(folder);
}

/* The program may write arbitrary bytes into the ring. The writer's work must stay limited, and
 * inside of the pool. */
static void test_hostile_ring(void)
{
    StrobePool pool;

    strobe_clock_init();
    g_assert_cmpint(strobe_pool_create(&pool, STROBE_POOL_MIN_BYTES, g_get_tmp_dir(), NULL), ==, 0);
    struct pool_header *header = pool.header;
    StrobeRing *ring = strobe_pool_ring(header);
    for (guint32 i = 0; i < header->n_blocks; i++) {
        struct pool_block *block = strobe_pool_block(header, i);
        memset(block + 1, 1, STROBE_BLOCK_DATA);
        atomic_store(&block->used, UINT32_MAX);
        atomic_store(&ring->order[i], header->n_blocks - 1);
    }
    atomic_store(&ring->tail, (uint64_t)1 << 47);
    g_assert_cmpuint(strobe_ring_tidy(ring, header), <=, header->n_blocks + 4);
    strobe_ring_empty(ring, header);
    strobe_pool_destroy(&pool, 1);
}

static void test_dump_under_load(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", RING);
    GThread *threads[THREADS];
    guint64 last_seen = 0;

    strobe_session_start(session, NULL);
    start_load(threads);
    StrobeRange open = strobe_range_begin("open all the time");
    for (guint i = 0; i < 4; i++) {
        const char *directory;
        guint64 newest = 0;
        g_usleep(60000);
        g_assert_cmpint(strobe_session_dump(session, "test", &directory, NULL), ==, STROBE_OK);
        g_autofree char *capture = capture_in(directory);
        struct sums sums = sum_capture(capture);
        g_assert_cmpuint(sums.n, >=, 1);
        for (guint k = 0; k < sums.n; k++) {
            check_ring_thread_buffer(&sums.thread_buffers[k]);
            newest = MAX(newest, sums.thread_buffers[k].last);
        }
        g_assert_cmpuint(newest, >, last_seen);
        last_seen = newest;
        g_assert_cmpuint(read_capture(capture, "marker", NULL, NULL), >, 1000);
    }
    strobe_range_end(open);
    stop_load(threads);
    strobe_session_stop(session, NULL);
    g_assert_cmpint(strobe_session_dump(session, NULL, NULL, NULL), ==, STROBE_ERROR_STATE);
    strobe_session_free(session);
    scratch_remove(folder);
}

struct open_span {
    guint n;
    gint64 begin_ns;
};

static void see_open(const StrobeView *view, StrobeText name, gpointer user)
{
    struct open_span *open = user;

    if (strcmp(name.bytes, "open all the time"))
        return;
    g_assert_true(view->flags & STROBE_VIEW_UNFINISHED);
    open->n++;
}

static void test_dump_contents(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", RING);
    struct open_span open = {0};
    const char *directory;

    strobe_session_start(session, NULL);
    StrobeRange range = strobe_range_begin("open all the time");
    for (guint i = 0; i < 10; i++)
        strobe_mark("before");
    g_assert_cmpint(strobe_session_dump(session, "first", &directory, NULL), ==, STROBE_OK);
    g_autofree char *first = capture_in(directory);
    strobe_range_end(range);
    for (guint i = 0; i < 5; i++)
        strobe_mark("after");
    g_assert_cmpint(strobe_session_dump(session, "second", &directory, NULL), ==, STROBE_OK);
    g_autofree char *second = capture_in(directory);
    g_assert_cmpuint(read_capture(first, "marker_instant", NULL, NULL), ==, 10);
    g_assert_cmpuint(read_capture(first, "marker", see_open, &open), ==, 1);
    g_assert_cmpuint(open.n, ==, 1);
    g_assert_cmpuint(read_capture(second, "marker_instant", NULL, NULL), ==, 15);
    g_autofree char *info = g_build_filename(directory, "profiler_info.json", NULL);
    g_assert_true(g_file_test(info, G_FILE_TEST_IS_REGULAR));
    strobe_session_stop(session, NULL);
    g_autofree char *last = capture_of(session);
    g_assert_cmpuint(read_capture(last, "marker_instant", NULL, NULL), ==, 15);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A window in which "keep" leaves out records does not change the loss report of the next
 * window. */
static void test_keep_twice(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(
        folder, "{}", "\"buffer\": {\"size\": \"8MB\", \"policy\": \"ring\", \"keep\": \"1ms\"}");

    for (guint window = 0; window < 2; window++) {
        guint64 n = window ? 10 : 200000, all = 0;
        strobe_session_start(session, NULL);
        for (guint64 i = 0; i < n; i++)
            strobe_range_end(strobe_range_begin_argument("load", i));
        g_usleep(5000); /* after this time the full blocks are older than "keep" */
        strobe_session_stop(session, NULL);
        g_autofree char *capture = capture_of(session);
        struct sums sums = sum_capture(capture);
        for (guint i = 0; i < sums.n; i++)
            all += sums.thread_buffers[i].stored + sums.thread_buffers[i].overwritten +
                   sums.thread_buffers[i].lost;
        g_assert_cmpuint(all, ==, n);
    }
    strobe_session_free(session);
    scratch_remove(folder);
}

/* "keep" limits the time that a dump covers. */
static void test_keep(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{}",
                    "\"buffer\": {\"size\": \"64MB\", \"policy\": \"ring\", \"keep\": \"500ms\"}");
    const char *directory;

    g_atomic_int_set(&keep_on, 1);
    strobe_session_start(session, NULL);
    gint64 begin = g_get_monotonic_time();
    guint64 i = 0;
    for (; g_get_monotonic_time() - begin < 1500000; i++) {
        strobe_range_end(strobe_range_begin_argument("load", i));
        if (i % 16 == 0)
            g_usleep(10);
    }
    g_assert_cmpint(strobe_session_dump(session, NULL, &directory, NULL), ==, STROBE_OK);
    g_autofree char *capture = capture_in(directory);
    struct sums sums = sum_capture(capture);
    g_assert_cmpuint(sums.n, ==, 1);
    g_assert_cmpuint(sums.thread_buffers[0].last, ==, i - 1);
    gint64 reach = sums.thread_buffers[0].end_ns - sums.thread_buffers[0].begin_ns;
    /* "keep" is counted back from the time of the dump, which may be late */
    g_assert_cmpint(reach, >=, 100000000);
    check_ring_thread_buffer(&sums.thread_buffers[0]);
    if (i > 10000) /* otherwise all records may be in one block */
        g_assert_cmpint(reach, <, 1200000000);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- configuration ---- */

static void test_refused(void)
{
    static const char *const wrong[] = {
        "\"buffer\": {\"policy\": \"ring\"}, \"schedule\": {\"active\": 1}",
        "\"buffer\": {\"policy\": \"ring\"}, \"rotate\": {\"size\": \"1MB\"}",
        "\"dump\": {\"signal\": \"SIGUSR2\"}",
        "\"buffer\": {\"keep\": \"1s\"}",
        "\"buffer\": {\"policy\": \"overwrite\"}",
        "\"rotate\": {\"keep\": 3}",
        "\"rotate\": {\"size\": \"1KB\"}",
        "\"buffer\": {\"policy\": \"ring\"}, \"dump\": {\"signal\": \"SIGKILL\"}",
        "\"buffer\": {\"policy\": \"ring\"}, \"dump\": {\"slow_step\": 0.5}",
    };
    char *folder = scratch_new();

    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *text = g_strdup_printf(
            "{\"output\": {\"directory\": \"%s\"}, \"collectors\": {}, %s}", folder, wrong[i]);
        StrobeSession *session;
        StrobeError *error = NULL;
        g_assert_cmpint(strobe_session_new(text, "file", &session, &error), ==,
                        STROBE_ERROR_CONFIG);
        g_test_message("%s", strobe_error_message(error));
        strobe_error_free(error);
    }
    StrobeSession *session = session_new(folder, "{}", "\"buffer\": {\"policy\": \"block\"}");
    g_assert_cmpint(strobe_session_dump(session, NULL, NULL, NULL), ==, STROBE_ERROR_STATE);
    strobe_session_free(session);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/policies/block", test_block);
    g_test_add_func("/policies/block-end", test_block_end);
    g_test_add_func("/policies/ring", test_ring);
    g_test_add_func("/policies/hostile-ring", test_hostile_ring);
    g_test_add_func("/policies/dump-under-load", test_dump_under_load);
    g_test_add_func("/policies/dump-contents", test_dump_contents);
    g_test_add_func("/policies/keep", test_keep);
    g_test_add_func("/policies/keep-twice", test_keep_twice);
    g_test_add_func("/policies/refused", test_refused);
    return g_test_run();
}
