/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the drain of npu_task without MSPTI: for which buffers it waits, and which buffers it
 * reports as kept. */
#include <glib.h>

#include "buffers.h"
#include "npu-drain.h"

#define BUFFER_BYTES 65536u
#define OVERDUE_NS 2000000000

/* ---- stubs of the emitter, because the tests of the drain need no records ---- */

int npu_emitter_begin(NpuEmitter *emitter)
{
    return 0;
}

void npu_emitter_end(NpuEmitter *emitter)
{
}

static guint n_taken;

int npu_records_take(NpuRecords *records, MsptiWalk *walk, uint32_t n)
{
    n_taken++;
    return 1;
}

static void look_at_clock(void)
{
}

/* ---- the drain ---- */

static NpuRecords *records;
static NpuClock npu_clock;
static const MsptiLibrary library; /* all functions are NULL */
static NpuDrain drain = {.library = &library,
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .library_lock = PTHREAD_MUTEX_INITIALIZER,
                         .clock = &npu_clock,
                         .look_at_clock = look_at_clock,
                         .phase = NPU_IDLE};

static void open_buffers(void)
{
    g_assert_cmpint(npu_buffers_make(4, BUFFER_BYTES), ==, 0);
    npu_buffers_open(1);
    records->counts.n_overdue = 0;
    n_taken = 0;
}

static guint8 *request_buffer(void)
{
    guint8 *buffer;
    gsize size, max;

    npu_buffers_request(&buffer, &size, &max);
    g_assert_nonnull(buffer);
    return buffer;
}

static void check_taken(int is_all, guint taken, guint64 overdue)
{
    g_assert_cmpint(npu_drain_take(&drain), ==, is_all);
    g_assert_cmpuint(n_taken, ==, taken);
    g_assert_cmpuint(records->counts.n_overdue, ==, overdue);
}

/* A buffer was out for too long, but no pass has seen this: at the next pass the buffer has come
 * back, and nothing is lost. */
static void test_late_but_there(void)
{
    guint8 *first, *second;

    open_buffers();
    first = request_buffer();
    second = request_buffer();
    npu_buffers_complete(second, BUFFER_BYTES, 0);
    check_taken(0, 0, 0);
    drain.out_since_ns -= OVERDUE_NS;
    npu_buffers_complete(first, BUFFER_BYTES, 0);
    check_taken(1, 2, 0);
}

/* A buffer that does not come back is counted once. Until it comes, the drain waits for no other
 * buffer. */
static void test_kept(void)
{
    guint8 *kept, *others[2];

    open_buffers();
    kept = request_buffer();
    others[0] = request_buffer();
    npu_buffers_complete(others[0], BUFFER_BYTES, 0);
    check_taken(0, 0, 0);
    check_taken(0, 0, 0);
    drain.out_since_ns -= OVERDUE_NS;
    check_taken(1, 1, 1);
    others[0] = request_buffer();
    others[1] = request_buffer();
    npu_buffers_complete(others[1], BUFFER_BYTES, 0);
    check_taken(1, 2, 1);
    npu_buffers_complete(others[0], BUFFER_BYTES, 0);
    npu_buffers_complete(kept, BUFFER_BYTES, 0);
    check_taken(1, 4, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    records = g_new0(NpuRecords, 1);
    drain.records = records;
    g_test_add_func("/npu_drain/late-but-there", test_late_but_there);
    g_test_add_func("/npu_drain/kept", test_kept);
    int code = g_test_run();
    g_free(records);
    return code;
}
