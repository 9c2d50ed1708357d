/* SPDX-License-Identifier: Apache-2.0 */
/* Tests parts of npu_task that need no library: walking, buffers, marks, launches, windows, types
 * of kernels. */
#include <dlfcn.h>
#include <glib.h>
#include <string.h>

#include "buffers.h"
#include "cann-loader.h"
#include "core-types.h"
#include "npu-launches.h"
#include "mark-table.h"
#include "quiet-passes.h"
#include "walk.h"
#include "windows.h"

/* ---- passes ---- */

static void test_quiet_passes(void)
{
    NpuQuiet quiet = {.n_reported = 100, .n_loud = 5};

    g_assert_cmpuint(npu_quiet_count(&quiet, 100, 5, 6), ==, 0);
    g_assert_cmpuint(npu_quiet_count(&quiet, 100, 6, 6), ==, 1);
    /* the record came in the seventh pass, which has not ended */
    g_assert_cmpuint(npu_quiet_count(&quiet, 101, 6, 7), ==, 0);
    g_assert_cmpuint(npu_quiet_count(&quiet, 101, 7, 7), ==, 0);
    g_assert_cmpuint(npu_quiet_count(&quiet, 101, 7, 8), ==, 0);
    g_assert_cmpuint(npu_quiet_count(&quiet, 101, 8, 8), ==, 1);
    /* the program has handed a buffer over between two passes */
    g_assert_cmpuint(npu_quiet_count(&quiet, 102, 8, 8), ==, 0);
    g_assert_cmpuint(npu_quiet_count(&quiet, 102, 9, 9), ==, 1);
}

/* ---- walking ---- */

/* The kind and the size of each record, as in the documentation of the ABI. */
static const struct {
    gint32 kind;
    gsize size;
} kinds[] = {{1, 56}, {2, 56}, {3, 48}, {4, 56},  {5, 64},  {6, 56},
             {7, 56}, {8, 24}, {9, 72}, {10, 48}, {11, 48}, {12, 48}};

static gsize fill_records(guint8 *bytes, gsize room, GRand *random, guint *n)
{
    gsize at = 0;

    for (*n = 0;; ++*n) {
        guint pick = (guint)g_rand_int_range(random, 0, G_N_ELEMENTS(kinds));
        if (at + kinds[pick].size > room)
            return at;
        memset(bytes + at, (int)*n, kinds[pick].size);
        memcpy(bytes + at, &kinds[pick].kind, sizeof kinds[pick].kind);
        at += kinds[pick].size;
    }
}

static void test_walk_all_kinds(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    g_autofree guint8 *bytes = g_malloc(4096);
    guint n_filled, n = 0;
    gsize valid = fill_records(bytes, 4096, random, &n_filled);
    MsptiWalk walk = {bytes, valid, 0, NULL};
    gint32 kind;

    for (const guint8 *record; (record = mspti_walk_next(&walk, &kind)); n++)
        g_assert_cmpuint(record[4], ==, n & 255);
    g_assert_cmpuint(n, ==, n_filled);
    g_assert_cmpuint(walk.at, ==, valid);
}

/* The walk reads nothing after `valid`: the bytes end where their allocation ends, so that a read
 * after them would be detected. */
static void test_walk_cut_anywhere(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(8);
    g_autofree guint8 *bytes = g_malloc(1024);
    guint n_filled;
    gsize valid = fill_records(bytes, 1024, random, &n_filled);

    for (gsize cut = 0; cut <= valid; cut++) {
        g_autofree guint8 *part = g_memdup2(bytes, cut);
        MsptiWalk walk = {part, cut, 0, NULL};
        guint n = 0;
        gint32 kind;

        while (mspti_walk_next(&walk, &kind))
            n++;
        g_assert_cmpuint(walk.at, <=, cut);
        g_assert_cmpuint(cut - walk.at, <, 72);
        g_assert_cmpuint(n, <=, n_filled);
    }
}

static gint32 answer_size(gint32 kind, guint32 version, gsize *size)
{
    if (kind == 14)
        *size = 2; /* shorter than any record */
    else
        *size = kind == 13 ? 40 : 1000;
    return kind == 15 ? 7 : 0;
}

/* The walk asks the library for the sizes of newer kinds. It ends at a size that no record can
 * have, or that exceeds the buffer. */
static void test_walk_newer_kinds(void)
{
    static const struct {
        gint32 kind;
        gsize at; /* position at which the walk ends */
    } cases[] = {{13, 56 + 40 + 56}, {14, 56}, {15, 56}, {16, 56}, {-1, 56}, {0, 56}};
    const gint32 kernel = 2;
    guint8 bytes[56 + 40 + 56];

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        MsptiWalk walk = {bytes, sizeof bytes, 0, answer_size};
        gint32 kind;
        guint n = 0;

        memset(bytes, 0xee, sizeof bytes);
        memcpy(bytes, &kernel, 4);
        memcpy(bytes + 56, &cases[i].kind, 4);
        memcpy(bytes + 96, &kernel, 4);
        while (mspti_walk_next(&walk, &kind))
            g_assert_cmpint(kind, ==, n++ == 1 ? cases[i].kind : kernel);
        g_assert_cmpuint(walk.at, ==, cases[i].at);
    }
}

static void test_walk_unknown_kinds(void)
{
    static const gint32 unknown[] = {0, 13, -1, 255, G_MAXINT32, G_MININT32};
    guint8 bytes[56 + 64];

    for (guint i = 0; i < G_N_ELEMENTS(unknown); i++) {
        const gint32 kernel = 2;
        MsptiWalk walk = {bytes, sizeof bytes, 0, NULL};
        gint32 kind;

        memset(bytes, 0xee, sizeof bytes);
        memcpy(bytes, &kernel, 4);
        memcpy(bytes + 56, &unknown[i], 4);
        g_assert_nonnull(mspti_walk_next(&walk, &kind));
        g_assert_null(mspti_walk_next(&walk, &kind));
        g_assert_null(mspti_walk_next(&walk, &kind)); /* the walk stays at its end */
        g_assert_cmpuint(walk.at, ==, 56);
    }
}

/* ---- buffers: one pool in the process ---- */

#define N_BUFFERS 3
#define BUFFER_BYTES 65536u

static guint8 *request_buffer(void)
{
    guint8 *buffer = (guint8 *)1;
    gsize size = 1, max = 1;

    npu_buffers_request(&buffer, &size, &max);
    g_assert_cmpuint(max, ==, 0);
    g_assert_cmpuint(size, ==, buffer ? BUFFER_BYTES : 0);
    g_assert_cmpuint((guintptr)buffer % 8, ==, 0);
    return buffer;
}

static const guint8 *take_buffer(gsize *valid)
{
    gint is_out;

    return npu_buffers_next(valid, 1, &is_out);
}

static void make_buffers(void)
{
    g_assert_cmpint(npu_buffers_make(N_BUFFERS, BUFFER_BYTES), ==, 0);
    npu_buffers_open(1);
}

static void assert_faults(guint64 refused, guint64 external, guint64 size)
{
    NpuBufferFaults faults = npu_buffers_take_faults();

    g_assert_cmpuint(faults.n_refused, ==, refused);
    g_assert_cmpuint(faults.n_external, ==, external);
    g_assert_cmpuint(faults.n_size, ==, size);
}

static void test_buffers_in_order(void)
{
    guint8 *given[N_BUFFERS];
    gsize valid;

    make_buffers();
    for (guint i = 0; i < N_BUFFERS; i++)
        g_assert_nonnull(given[i] = request_buffer());
    g_assert_null(request_buffer());
    npu_buffers_complete(NULL, 0, 0); /* this is MSPTI's call after a refused request */
    g_assert_null(take_buffer(&valid));
    for (guint i = N_BUFFERS; i-- > 0;) {
        g_assert_null(
            take_buffer(&valid)); /* later buffers are complete, but must wait for the first one */
        npu_buffers_complete(given[i], BUFFER_BYTES, 56 * (i + 1));
    }
    for (guint i = 0; i < N_BUFFERS; i++) {
        const guint8 *got = take_buffer(&valid);
        g_assert_true(got == given[i]);
        g_assert_cmpuint(valid, ==, 56 * (i + 1));
        npu_buffers_release(got);
    }
    g_assert_null(take_buffer(&valid));
    assert_faults(1, 0, 0);
}

/* The first buffer comes late, after the reader has read the other buffers. */
static void test_buffers_out_of_order(void)
{
    guint8 *given[2];
    gint is_out = 0;
    gsize valid;

    make_buffers();
    for (guint i = 0; i < G_N_ELEMENTS(given); i++)
        given[i] = request_buffer();
    npu_buffers_complete(given[1], BUFFER_BYTES, 56);
    g_assert_null(npu_buffers_next(&valid, 1, &is_out));
    g_assert_cmpint(is_out, ==, 1);
    g_assert_true(npu_buffers_next(&valid, 0, &is_out) == given[1]);
    npu_buffers_release(given[1]);
    guint8 *later = request_buffer();
    npu_buffers_complete(later, BUFFER_BYTES, 56);
    /* the reader does not wait for the first buffer again */
    g_assert_true(npu_buffers_next(&valid, 1, &is_out) == later);
    npu_buffers_release(later);
    npu_buffers_complete(given[0], BUFFER_BYTES, 56);
    g_assert_true(take_buffer(&valid) == given[0]);
    npu_buffers_release(given[0]);
}

static void test_buffers_not_given_out(void)
{
    guint8 own[64], *given;
    gsize valid;

    make_buffers();
    given = request_buffer();
    npu_buffers_complete(own, sizeof own, sizeof own);
    npu_buffers_complete(given + 8, BUFFER_BYTES, 56);
    /* the next buffer, which was not requested */
    npu_buffers_complete(given + BUFFER_BYTES, BUFFER_BYTES, 56);
    npu_buffers_complete(given - BUFFER_BYTES, BUFFER_BYTES, 56);
    g_assert_null(take_buffer(&valid));
    npu_buffers_complete(given, BUFFER_BYTES, 56);
    npu_buffers_complete(given, BUFFER_BYTES, 112); /* the second time */
    g_assert_true(take_buffer(&valid) == given);
    g_assert_cmpuint(valid, ==, 56);
    npu_buffers_release(given);
    assert_faults(0, 5, 0);
}

static void test_buffers_of_wrong_size(void)
{
    guint8 *given;
    gsize valid;

    make_buffers();
    given = request_buffer();
    npu_buffers_complete(given, BUFFER_BYTES / 2, G_MAXSIZE);
    g_assert_true(take_buffer(&valid) == given);
    g_assert_cmpuint(valid, ==, BUFFER_BYTES);
    npu_buffers_release(given);
    assert_faults(0, 0, 1);
}

static void test_buffers_shut(void)
{
    guint8 *given;
    gsize valid;

    make_buffers();
    given = request_buffer();
    npu_buffers_open(0);
    g_assert_null(request_buffer());
    npu_buffers_complete(given, BUFFER_BYTES, 48); /* the buffer is late, but is accepted */
    g_assert_true(take_buffer(&valid) == given);
    npu_buffers_release(given);
    assert_faults(0, 0, 0);
}

/* Several threads fill buffers, and one thread reads them: each buffer comes once, with its
 * content. */
static gint n_sent;

static gpointer send_buffers(gpointer user)
{
    for (guint i = 0; i < 20000; i++) {
        guint8 *buffer = request_buffer();
        if (!buffer)
            continue;
        guint32 number = (guint32)g_atomic_int_add(&n_sent, 1);
        memcpy(buffer, &number, sizeof number);
        npu_buffers_complete(buffer, BUFFER_BYTES, 8);
    }
    return NULL;
}

static void test_buffers_by_threads(void)
{
    g_autofree guint8 *seen = g_new0(guint8, 80001);
    GThread *threads[4];
    guint n = 0;
    gsize valid;

    make_buffers();
    npu_buffers_take_faults();
    g_atomic_int_set(&n_sent, 0);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = g_thread_new("sender", send_buffers, NULL);
    for (gboolean is_over = FALSE; !is_over;) {
        const guint8 *buffer = take_buffer(&valid);
        if (!buffer) {
            NpuBufferFaults faults = npu_buffers_take_faults();
            static guint64 n_refused;
            n_refused += faults.n_refused;
            is_over = n + n_refused == 80000;
            n_refused = is_over ? 0 : n_refused;
            npu_buffers_wait(1000);
            continue;
        }
        guint32 number;
        memcpy(&number, buffer, sizeof number);
        g_assert_cmpuint(number, <, 80000);
        g_assert_cmpuint(seen[number]++, ==, 0);
        npu_buffers_release(buffer);
        n++;
    }
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
    g_assert_cmpuint(n, ==, (guint)g_atomic_int_get(&n_sent));
}

/* ---- marks ---- */

/* Compares the marks with a hash table, with reused ids and colliding slots. */
static void test_marks_at_random(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(11);
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autofree NpuMarkTable *table = g_new(NpuMarkTable, 1);

    npu_mark_table_clear(table);
    for (guint i = 0; i < 200000; i++) {
        guint64 id = 1 + (guint64)g_rand_int_range(random, 0, 5000) * NPU_MARKS / 3;
        gpointer stream;
        gboolean is_known = g_hash_table_lookup_extended(known, &id, NULL, &stream);
        NpuMark *mark = npu_mark_table_get(table, id);

        g_assert_nonnull(mark);
        g_assert_cmpuint(mark->id, ==, id);
        g_assert_cmpuint(mark->stream, ==, is_known ? GPOINTER_TO_UINT(stream) : 0);
        if (is_known) {
            npu_mark_table_remove(table, mark);
            g_hash_table_remove(known, &id);
        } else {
            mark->stream = i + 1;
            g_hash_table_insert(known, g_memdup2(&id, sizeof id), GUINT_TO_POINTER(i + 1));
        }
        g_assert_cmpuint(table->n, ==, g_hash_table_size(known));
    }
}

static void test_marks_full(void)
{
    g_autofree NpuMarkTable *table = g_new(NpuMarkTable, 1);
    guint64 n = 0;

    npu_mark_table_clear(table);
    g_assert_null(npu_mark_table_get(table, 0));
    while (npu_mark_table_get(table, n + 1))
        n++;
    g_assert_cmpuint(n, >, NPU_MARKS / 2);
    g_assert_cmpuint(n, <, NPU_MARKS);
    g_assert_nonnull(npu_mark_table_get(table, 1));
    npu_mark_table_remove(table, npu_mark_table_get(table, 1));
    g_assert_nonnull(npu_mark_table_get(table, n + 1));
}

/* ---- launches ---- */

static NpuLaunches *watch_launches(int is_each_sure)
{
    NpuLaunches *launches = g_new0(NpuLaunches, 1);

    launches->is_watching = 1;
    launches->is_each_sure = is_each_sure;
    npu_launches_begin(launches);
    return launches;
}

static void assert_awaited(const NpuLaunches *launches, guint64 sure, guint64 unsure)
{
    g_assert_cmpuint(launches->n_sure, ==, sure);
    g_assert_cmpuint(launches->n_unsure, ==, unsure);
}

static void test_launches_and_tasks(void)
{
    g_autofree NpuLaunches *launches = watch_launches(1);

    npu_launches_see_task(launches, 5, NPU_LAUNCH_KERNEL); /* reported before its call */
    npu_launches_see_call(launches, 6, "a", 0, NPU_CALL_OF_WINDOW);
    npu_launches_see_call(launches, 5, "a", 0, NPU_CALL_OF_WINDOW);
    /* an outer call with the same id */
    npu_launches_see_call(launches, 6, "b", 1, NPU_CALL_OF_WINDOW);
    npu_launches_see_call(launches, 9, "a", 0, NPU_CALL_BEHIND); /* after the end of the window */
    assert_awaited(launches, 1, 0);
    npu_launches_see_task(launches, 6, NPU_LAUNCH_OPERATION);
    npu_launches_see_task(launches, 6, NPU_LAUNCH_KERNEL);
    assert_awaited(launches, 0, 0);
    g_assert_cmpuint(launches->n_untracked, ==, 0);
    g_assert_cmpuint(launches->n_uncalled, ==, 0);
    /* a graph can be launched again */
    npu_launches_see_task(launches, 6, NPU_LAUNCH_KERNEL);
    g_assert_cmpuint(launches->n_untracked, ==, 1);
}

/* If MSPTI is preloaded, memory calls also get ids, but launch nothing. Only a function of which an
 * earlier call launched a task certainly launches. */
static void test_launches_by_name(void)
{
    g_autofree NpuLaunches *launches = watch_launches(0);

    npu_launches_see_call(launches, 1, "copy", 0, NPU_CALL_OF_WINDOW);
    npu_launches_see_call(launches, 2, "node", 1, NPU_CALL_OF_WINDOW);
    npu_launches_see_call(launches, 3, "launch", 0, NPU_CALL_OF_WINDOW);
    assert_awaited(launches, 1, 2);
    npu_launches_see_task(launches, 3, NPU_LAUNCH_KERNEL);
    npu_launches_see_call(launches, 4, "launch", 0, NPU_CALL_OF_WINDOW);
    npu_launches_see_call(launches, 5, "copy", 0, NPU_CALL_OF_WINDOW);
    assert_awaited(launches, 2, 2);
}

/* A task is recognised if its launch belongs to an earlier window, which no longer waits. A
 * thread's id that is still in use from an earlier window is also recognised. */
static void test_launches_of_before(void)
{
    g_autofree NpuLaunches *launches = watch_launches(1);

    npu_launches_see_call(launches, 1, "a", 0, NPU_CALL_OF_WINDOW);
    npu_launches_see_call(launches, 2, "a", 0, NPU_CALL_OF_WINDOW);
    npu_launches_see_task(launches, 2, NPU_LAUNCH_KERNEL);
    npu_launches_end(launches);
    npu_launches_see_call(launches, 3, "a", 0, NPU_CALL_BEFORE);
    npu_launches_begin(launches);
    npu_launches_see_call(launches, 2, "query", 0, NPU_CALL_OF_WINDOW);
    assert_awaited(launches, 0, 0);
    g_assert_cmpuint(npu_launches_see_task(launches, 1, NPU_LAUNCH_KERNEL), ==,
                     NPU_TASK_IS_KNOWN | NPU_TASK_ELSEWHERE | NPU_TASK_OF_PAST | NPU_TASK_COUNTED);
    g_assert_cmpuint(npu_launches_see_task(launches, 3, NPU_LAUNCH_KERNEL), ==,
                     NPU_TASK_IS_KNOWN | NPU_TASK_ELSEWHERE);
    g_assert_cmpuint(launches->n_untracked, ==, 0);
    g_assert_cmpuint(npu_launches_see_task(launches, 1, NPU_LAUNCH_KERNEL), ==, NPU_TASK_IS_KNOWN);
    g_assert_cmpuint(launches->n_untracked, ==, 1);
}

/* There are more launches than table entries: only the launches in the table are counted. */
static void test_launches_many(void)
{
    g_autofree NpuLaunches *launches = watch_launches(1);

    for (guint64 id = 1; id <= 3 * NPU_LAUNCHES; id++)
        npu_launches_see_call(launches, id, "a", 0, NPU_CALL_OF_WINDOW);
    assert_awaited(launches, NPU_LAUNCHES, 0);
    for (guint64 id = 1; id <= 3 * NPU_LAUNCHES; id++)
        npu_launches_see_task(launches, id, NPU_LAUNCH_KERNEL);
    assert_awaited(launches, 0, 0);
}

/* If a call launches several tasks, it has the id of the last one. */
static void test_launches_of_window(void)
{
    static const guint64 own[] = {11, 12, 13, 14, 16, 17, 20}, others[] = {9, 10, 15, 21, 22, 23};
    g_autofree NpuLaunches *launches = watch_launches(1);

    g_assert_cmpuint(npu_launches_place(launches, 1), ==, 0);
    npu_launches_see_call(launches, 8, "a", 1, NPU_CALL_OF_WINDOW);
    npu_launches_end(launches);
    npu_launches_begin(launches);
    npu_launches_see_call(launches, 13, "a", 1, NPU_CALL_OF_WINDOW);
    /* the call belongs to an earlier window, but is reported only now */
    npu_launches_see_call(launches, 10, "b", 1, NPU_CALL_BEFORE);
    npu_launches_see_call(launches, 20, "a", 1, NPU_CALL_OF_WINDOW);
    npu_launches_see_call(launches, 15, "c", 1, NPU_CALL_BEHIND);
    npu_launches_see_call(launches, 22, "c", 1, NPU_CALL_BEHIND);
    g_assert_cmpuint(npu_launches_see_task(launches, 12, NPU_LAUNCH_KERNEL), ==, 0);
    g_assert_cmpuint(npu_launches_see_task(launches, 13, NPU_LAUNCH_KERNEL), ==,
                     NPU_TASK_IS_KNOWN | NPU_TASK_OF_WINDOW);
    for (guint i = 0; i < G_N_ELEMENTS(own); i++)
        g_assert_cmpuint(npu_launches_place(launches, own[i]), ==, NPU_TASK_OF_WINDOW);
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_cmpuint(npu_launches_place(launches, others[i]), !=, NPU_TASK_OF_WINDOW);
    g_assert_cmpuint(npu_launches_place(launches, 22), ==, NPU_TASK_ELSEWHERE);
    g_assert_cmpuint(npu_launches_place(launches, 23), ==, 0);
}

/* ---- windows ---- */

static void test_windows(void)
{
    NpuWindows windows;

    npu_windows_init(&windows);
    g_assert_cmpint(npu_windows_place(&windows, 150), ==, NPU_OUTSIDE);
    npu_windows_begin(&windows, 100);
    g_assert_cmpint(npu_windows_place(&windows, 99), ==, NPU_OUTSIDE);
    g_assert_cmpint(npu_windows_place(&windows, 100), ==, NPU_IN_WINDOW);
    npu_windows_end(&windows, 200);
    g_assert_cmpint(npu_windows_place(&windows, 150), ==, NPU_IN_WINDOW);
    npu_windows_seal(&windows);
    g_assert_cmpint(npu_windows_place(&windows, 150), ==, NPU_LATE);
    g_assert_cmpint(npu_windows_place(&windows, 250), ==, NPU_OUTSIDE);
    npu_windows_begin(&windows, 300);
    g_assert_cmpint(npu_windows_place(&windows, 150), ==, NPU_LATE);
    g_assert_cmpint(npu_windows_place(&windows, 250), ==, NPU_OUTSIDE);
    npu_windows_end(&windows, 340);
    npu_windows_seal(&windows);
    g_assert_cmpint(npu_windows_place(&windows, 335), ==, NPU_LATE);
    npu_windows_open(&windows); /* this window belongs to another session */
    g_assert_cmpint(npu_windows_place(&windows, 150), ==, NPU_LATE);
}

static void test_windows_many(void)
{
    NpuWindows windows;

    npu_windows_init(&windows);
    for (guint64 i = 1; i <= 3 * NPU_WINDOWS; i++) {
        npu_windows_begin(&windows, i * 100);
        npu_windows_end(&windows, i * 100 + 50);
        npu_windows_seal(&windows);
        g_assert_cmpint(npu_windows_place(&windows, i * 100 + 25), ==, NPU_LATE);
        g_assert_cmpint(npu_windows_place(&windows, i * 100 + 75), ==, NPU_OUTSIDE);
    }
}

static void test_core_types(void)
{
    g_assert_cmpstr(npu_core_type("KERNEL_AICORE"), ==, "AI_CORE");
    g_assert_cmpstr(npu_core_type("KERNEL_AIVEC"), ==, "AI_VECTOR_CORE");
    g_assert_cmpstr(npu_core_type("KERNEL_AICPU"), ==, "AI_CPU");
    g_assert_cmpstr(npu_core_type("KERNEL_MIX_AIC"), ==, "MIX_AIC");
    g_assert_cmpstr(npu_core_type("KERNEL_MIX_AIV"), ==, "MIX_AIV");
    g_assert_null(npu_core_type("KERNEL_FUSION"));
    g_assert_null(npu_core_type("KERNEL_"));
    g_assert_null(npu_core_type(""));
}

/* ---- loading ---- */

static void try_double(const char *wrong, const char *expected)
{
    static const char *const libraries[] = {"libprofapi.so", "libascend_hal.so", NULL};
    static const char *const functions[] = {"ProfEnableMstxFunc", NULL};
    g_autofree char *path =
        g_build_filename(g_getenv("ASCEND_HOME_PATH"), "lib64", "libascendalog.so", NULL);
    const NpuTrial trial = {.path = path,
                            .flags = RTLD_NOW | RTLD_LOCAL,
                            .who = "the test",
                            .libraries = libraries,
                            .functions = functions,
                            .limit_ms = 300};
    char reason[8192] = "";

    g_setenv("CANN_DOUBLE", wrong, TRUE);
    const char *failure = npu_cann_try(&trial, reason, sizeof reason);
    g_unsetenv("CANN_DOUBLE");
    g_assert_false(npu_cann_is_loaded(path));
    if (!expected)
        g_assert_null(failure);
    else
        g_assert_nonnull(strstr(reason, expected));
}

/* Whichever library crashes or hangs, this happens in the child process. The message names the
 * library, and the trial waits no longer than its limit. */
static void test_trial(void)
{
    try_double("", NULL);
    try_double("ascend_hal:abort", "the test needs CANN, of which libascend_hal.so cannot be "
                                   "loaded: loading it ended the process that tried");
    try_double("ascend_hal:hang=60000", "of which libascend_hal.so cannot be loaded: loading it "
                                        "took longer than 0.3 s");
    try_double("ascendalog:abort", "libascendalog.so cannot be loaded: loading it ended");
    try_double("ascendalog:hang=60000", "libascendalog.so cannot be loaded: loading it took");
    try_double("ascend_hal:hang=20", NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/npu_parts/quiet-passes", test_quiet_passes);
    g_test_add_func("/npu_parts/walk/all-kinds", test_walk_all_kinds);
    g_test_add_func("/npu_parts/walk/cut-anywhere", test_walk_cut_anywhere);
    g_test_add_func("/npu_parts/walk/unknown-kinds", test_walk_unknown_kinds);
    g_test_add_func("/npu_parts/walk/newer-kinds", test_walk_newer_kinds);
    g_test_add_func("/npu_parts/buffers/in-order", test_buffers_in_order);
    g_test_add_func("/npu_parts/buffers/out-of-order", test_buffers_out_of_order);
    g_test_add_func("/npu_parts/buffers/not-given-out", test_buffers_not_given_out);
    g_test_add_func("/npu_parts/buffers/wrong-size", test_buffers_of_wrong_size);
    g_test_add_func("/npu_parts/buffers/shut", test_buffers_shut);
    g_test_add_func("/npu_parts/buffers/threads", test_buffers_by_threads);
    g_test_add_func("/npu_parts/marks/random", test_marks_at_random);
    g_test_add_func("/npu_parts/marks/full", test_marks_full);
    g_test_add_func("/npu_parts/launches/tasks", test_launches_and_tasks);
    g_test_add_func("/npu_parts/launches/names", test_launches_by_name);
    g_test_add_func("/npu_parts/launches/before", test_launches_of_before);
    g_test_add_func("/npu_parts/launches/of-window", test_launches_of_window);
    g_test_add_func("/npu_parts/launches/many", test_launches_many);
    g_test_add_func("/npu_parts/windows/one", test_windows);
    g_test_add_func("/npu_parts/windows/many", test_windows_many);
    g_test_add_func("/npu_parts/core-types", test_core_types);
    if (g_getenv("ASCEND_HOME_PATH"))
        g_test_add_func("/npu_parts/trial", test_trial);
    return g_test_run();
}
