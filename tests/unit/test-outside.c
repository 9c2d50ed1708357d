/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the recording of collectors in the writer process, in a pool to which the program may write
 * any bytes. */
#include <errno.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/mman.h>
#include <unistd.h>
#include "clock.h"
#include "intern.h"
#include "kind-table.h"
#include "thread-buffer.h"
#include "async-span.h"
#include "outside.h"
#include "recorder.h"
#include "support.h"
#include "track-table.h"

static const StrobeField own_fields[] = {{"value", STROBE_FIELD_U64, 0, "", "A value."}};
static const StrobeKind own_kind = {.struct_size = sizeof own_kind,
                                    .shape = STROBE_SHAPE_COUNTER,
                                    .name = "test.own",
                                    .fields = own_fields,
                                    .n_fields = 1};
static const StrobeKind other_kind = {.struct_size = sizeof other_kind,
                                      .shape = STROBE_SHAPE_COUNTER,
                                      .name = "test.other",
                                      .fields = own_fields,
                                      .n_fields = 1};
static const StrobeKind *const declared[] = {&own_kind};

/* The pool as mapped by the program and by the writer. */
static StrobePool program, writer;
static char *folder;

static void begin_pools(void)
{
    char error[256];

    folder = scratch_new();
    strobe_clock_init();
    g_assert_cmpint(strobe_pool_create(&program, STROBE_POOL_MIN_BYTES, folder, NULL), ==, 0);
    strobe_kind_begin(program.header);
    g_assert_cmpuint(strobe_kind_register(program.header, &own_kind, error, sizeof error), !=, 0);
    strobe_pool_intern_begin(program.header);
    g_assert_cmpint(strobe_pool_open(&writer, program.path, 1), ==, 0);
    g_assert_cmpint(strobe_recorder_join(writer.header, getpid(), declared, 1), ==, 0);
}

static void end_pools(void)
{
    strobe_pool_destroy(&writer, 0);
    strobe_pool_destroy(&program, 1);
    scratch_remove(folder);
}

static gboolean record_value(guint64 value)
{
    char error[256] = "";
    StrobeWriter *thread_buffer = strobe_thread_buffer_writer();
    guint32 kind = strobe_recorder_kind(&own_kind, error, sizeof error);

    g_assert_cmpstr(error, ==, "");
    if (!thread_buffer)
        return FALSE;
    guint64 *fields = strobe_thread_buffer_reserve(thread_buffer, kind, 0, 0, 1, 0);
    if (!fields)
        return FALSE;
    *fields = value;
    strobe_thread_buffer_commit(thread_buffer);
    return TRUE;
}

static guint count_queued(void)
{
    guint n = 0;

    for (guint32 i = strobe_pool_take_full(program.header); i < program.header->n_blocks; n++) {
        struct pool_block *block = strobe_pool_block(program.header, i);
        g_assert_cmpuint(block->thread_buffer, >=,
                         STROBE_POOL_THREAD_BUFFERS - STROBE_POOL_WRITER_THREAD_BUFFERS);
        g_assert_cmpuint(block->window, ==, 3);
        g_assert_cmpuint(block->used, >, 0);
        i = block->next;
        strobe_pool_give(program.header, block);
    }
    return n;
}

/* ---- the gate ---- */

static void test_gate(void)
{
    g_assert_false(record_value(1));
    strobe_recorder_join_window(3);
    g_assert_true(record_value(2));
    g_assert_cmpuint(strobe_recorder_leave_window(strobe_clock_now()), ==, 0);
    g_assert_false(record_value(3));
    g_assert_cmpuint(count_queued(), ==, 1);
}

static gpointer record_in_thread(gpointer user)
{
    g_assert_true(record_value(GPOINTER_TO_UINT(user)));
    return NULL;
}

/* Threads of the writer process use only the writer's few thread buffers, never those of the
 * program. */
static void test_thread_buffers(void)
{
    strobe_recorder_join_window(3);
    for (guint i = 0; i < 3 * STROBE_POOL_WRITER_THREAD_BUFFERS; i++)
        g_thread_join(g_thread_new("sampler", record_in_thread, GUINT_TO_POINTER(i)));
    strobe_recorder_leave_window(strobe_clock_now());
    g_assert_cmpuint(count_queued(), >, 0);
    for (guint32 i = 0; i < STROBE_POOL_THREAD_BUFFERS - STROBE_POOL_WRITER_THREAD_BUFFERS; i++)
        g_assert_cmpuint(atomic_load(&strobe_pool_thread_buffer(program.header, i)->window), ==, 0);
}

static void test_kinds(void)
{
    char error[512] = "";
    const guint32 id = strobe_recorder_kind(&own_kind, error, sizeof error);

    g_assert_cmpuint(id, ==, strobe_kind_id(&own_kind));
    g_assert_cmpuint(id, >, strobe_kind_id(&strobe_kind_marker));
    g_assert_cmpuint(strobe_recorder_kind(&other_kind, error, sizeof error), ==, 0);
    g_assert_nonnull(strstr(error, "is not among the kinds that the component declares"));
}

/* ---- messages ---- */

static void test_messages(void)
{
    guint32 length, level, collector;

    for (guint i = 0; i < STROBE_POOL_MESSAGES + 3; i++) {
        g_autofree char *text = g_strdup_printf("message %u", i);
        strobe_recorder_say(text, STROBE_LOG_INFO, i);
    }
    for (guint i = 3; i < STROBE_POOL_MESSAGES + 3; i++) { /* the first messages were overwritten */
        g_autofree char *wanted = g_strdup_printf("message %u", i);
        const char *text = strobe_recorder_take_message(&length, &level, &collector);
        g_assert_nonnull(text);
        g_assert_cmpmem(text, length, wanted, strlen(wanted));
        g_assert_cmpuint(collector, ==, i);
        g_assert_cmpuint(level, ==, STROBE_LOG_INFO);
    }
    g_assert_null(strobe_recorder_take_message(&length, &level, &collector));
}

/* ---- a program that writes arbitrary bytes ---- */

#define GUARD ((size_t)4 << 20)

/* Moves the writer's mapping of the pool between pages that may not be accessed. */
static void guard_pool(void)
{
    char *room = mmap(NULL, writer.bytes + 2 * GUARD, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    g_assert_true(room != MAP_FAILED);
    void *first = g_memdup2(writer.header, STROBE_POOL_PAGE);
    void *map = mmap(room + GUARD, writer.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                     writer.fd, 0);
    g_assert_true(map == room + GUARD);
    g_assert_true(mmap(map, STROBE_POOL_PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == map);
    memcpy(map, first, STROBE_POOL_PAGE);
    g_free(first);
    munmap(writer.header, writer.bytes);
    writer.header = map;
}

static guint64 hostile_number(GRand *random)
{
    static const guint64 numbers[] = {0,
                                      1,
                                      UINT32_MAX,
                                      UINT64_MAX,
                                      INT32_MAX,
                                      0x80000000,
                                      UINT64_MAX - 64,
                                      1u << 20,
                                      UINT64_MAX - (1u << 30),
                                      0xfffffffe,
                                      1ull << 40};
    const guint which = (guint)g_rand_int_range(random, 0, 2 * G_N_ELEMENTS(numbers));

    return which < G_N_ELEMENTS(numbers) ? numbers[which] : g_rand_int(random);
}

/* Overwrites a word in the first MB of a random part of the pool, or in the shared part of the
 * header. */
static void scribble_word(GRand *random)
{
    struct pool_header *h = program.header;
    const guint64 parts[] = {STROBE_POOL_PAGE, h->thread_buffers_at, h->tracks_at, h->kinds_at,
                             h->offsets_at,    h->slots_at,          h->arena_at,  h->blocks_at,
                             STROBE_POOL_PAGE, STROBE_POOL_PAGE};
    guint64 part = parts[g_rand_int_range(random, 0, G_N_ELEMENTS(parts))];
    guint64 span = part == STROBE_POOL_PAGE ? 256 : 1 << 20;
    guint64 at = part + (guint64)g_rand_int_range(random, 0, (gint32)(span / 8)) * 8;

    if (at + 8 <= h->total_bytes)
        *(volatile guint64 *)strobe_pool_at(h, at) = hostile_number(random);
}

static _Atomic int is_over;

static gpointer scribble_on(gpointer user)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(4711);

    while (!atomic_load(&is_over))
        scribble_word(random);
    return user;
}

/* Overwrites words in the writer's thread buffers. */
static void scribble_on_thread_buffers(GRand *random)
{
    for (guint32 i = STROBE_POOL_THREAD_BUFFERS - STROBE_POOL_WRITER_THREAD_BUFFERS;
         i < STROBE_POOL_THREAD_BUFFERS; i++) {
        guint64 *words = (guint64 *)(void *)strobe_pool_thread_buffer(program.header, i);
        gsize n = sizeof(struct pool_thread_buffer) / sizeof *words;
        for (guint k = 0; k < 8; k++) {
            gint at = g_rand_int_range(random, 0, (gint)(k < 4 ? 16 : n));
            ((volatile guint64 *)words)[at] = hostile_number(random);
        }
    }
}

static void record_all_sorts(guint64 i)
{
    StrobeWriter *thread_buffer = strobe_thread_buffer_writer();
    g_autofree char *text = g_strdup_printf("name %" G_GUINT64_FORMAT, i);
    const StrobeTrack track = {
        .struct_size = sizeof track, .type = STROBE_TRACK_COUNTER, .device = -1, .name = text};

    if (!thread_buffer)
        return;
    StrobeStringId id = strobe_thread_buffer_intern(thread_buffer, text, strlen(text), 0);
    strobe_recorder_track(&track);
    record_value(id);
    StrobeSpan span = strobe_thread_buffer_span_begin(thread_buffer, STROBE_KIND_ID_MARKER, id, 0);
    strobe_thread_buffer_async_open(NULL, i + 1, STROBE_KIND_ID_MARKER, text, 0);
    if (strobe_thread_buffer_span_end(thread_buffer, span))
        strobe_thread_buffer_commit(thread_buffer);
    strobe_thread_buffer_async_close(NULL, i % 3 ? i + 1 : i / 2, STROBE_KIND_ID_MARKER, NULL, 0);
}

static gpointer record_for_a_while(gpointer user)
{
    for (guint64 i = 0; i < 40; i++)
        record_all_sorts(GPOINTER_TO_UINT(user) * 40ull + i);
    return NULL;
}

/* If the program overwrites its pool with arbitrary numbers, it may lose its own records, but the
 * writer writes only inside of the pool, and all its calls return. */
static void test_hostile_program(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(42);
    const gint64 until = g_get_monotonic_time() + G_TIME_SPAN_SECOND * test_count("SECONDS", 2);
    GThread *hostile;

    guard_pool();
    g_assert_cmpint(strobe_recorder_join(writer.header, getpid(), declared, 1), ==, 0);
    hostile = g_thread_new("hostile", scribble_on, NULL);
    for (guint i = 0; g_get_monotonic_time() < until; i++) {
        strobe_recorder_join_window(3);
        GThread *sampler = g_thread_new("sampler", record_for_a_while, GUINT_TO_POINTER(i));
        scribble_on_thread_buffers(random);
        g_thread_join(sampler);
        strobe_recorder_say("a message", STROBE_LOG_INFO, 0);
        scribble_on_thread_buffers(random);
        g_assert_cmpuint(strobe_recorder_leave_window(strobe_clock_now()), ==, 0);
    }
    atomic_store(&is_over, 1);
    g_thread_join(hostile);
}

static void test_other_layout(void)
{
    struct pool_header other = *writer.header;

    other.n_thread_buffers = 64;
    g_assert_cmpint(strobe_recorder_join(&other, 0, NULL, 0), ==, EINVAL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    begin_pools();
    g_test_add_func("/outside/gate", test_gate);
    g_test_add_func("/outside/lanes", test_thread_buffers);
    g_test_add_func("/outside/kinds", test_kinds);
    g_test_add_func("/outside/messages", test_messages);
    g_test_add_func("/outside/other-layout", test_other_layout);
    g_test_add_func("/outside/hostile-program", test_hostile_program);
    int result = g_test_run();
    end_pools();
    return result;
}
