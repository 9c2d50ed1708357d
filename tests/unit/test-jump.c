/* SPDX-License-Identifier: Apache-2.0 */
/* Tests signal handlers that interrupt a record and leave by siglongjmp: the thread can record
 * afterwards. Also tests handlers and coroutines that run while the interrupted record is still
 * being made, and must not disturb it. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <strobe/kinds.h>
#include <ucontext.h>
#include <unistd.h>
#include "kind-table.h"
#include "thread-buffer.h"
#include "async-span.h"
#include "recorder.h"
#include "support.h"
#include "testpoint.h"

static guint64 count_of(StrobeSession *session, const char *kind)
{
    g_autofree char *capture = capture_of(session);
    return read_capture(capture, kind, NULL, NULL);
}

static void add_name(const StrobeView *view, StrobeText name, gpointer user)
{
    g_string_append_printf(user, "%s;", name.bytes);
}

/* Checks that the window has instants with these names, in the order of their records. */
static void check_marks(StrobeSession *session, const char *names)
{
    g_autofree char *capture = capture_of(session);
    GString *found = g_string_new(NULL);

    read_capture(capture, "marker_instant", add_name, found);
    g_assert_cmpstr(found->str, ==, names);
    g_string_free(found, TRUE);
}

/* Checks that the window lost `n` records with the cause STROBE_LOSS_NESTED, and no others. */
static void check_nested(guint64 n)
{
    uint64_t lost[STROBE_LOSS_CAUSES];

    strobe_recorder_losses(lost);
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        g_assert_cmpuint(lost[i], ==, i == STROBE_LOSS_NESTED ? n : 0);
}

/* ---- at a certain point ---- */

static __thread const char *signal_at; /* the test point at which this thread gets a signal, once */

static void raise_at_point(const char *point)
{
    if (!signal_at || strcmp(point, signal_at) != 0)
        return;
    signal_at = NULL;
    raise(SIGUSR1);
}

static void handle_with(void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    sigaction(SIGUSR1, &action, NULL);
    __atomic_store_n(&strobe_testpoint_hook, raise_at_point, __ATOMIC_RELEASE);
}

static __thread sigjmp_buf outside;

static void jump_out(int number)
{
    siglongjmp(outside, 1);
}

static void offer_mark(const char *name)
{
    strobe_mark(name);
}

static void offer_range(const char *name)
{
    strobe_range_end(strobe_range_begin(name));
}

static void offer_reserved(const char *name)
{
    StrobeWriter *writer = strobe_thread_buffer_writer();

    if (strobe_thread_buffer_reserve(writer, STROBE_KIND_ID_MARKER_INSTANT, 0, 0,
                                     strobe_clock_now(), 0))
        strobe_thread_buffer_commit(writer);
}

static void offer_span(const char *name)
{
    StrobeWriter *writer = strobe_thread_buffer_writer();
    StrobeSpan span = strobe_thread_buffer_span_begin(writer, STROBE_KIND_ID_MARKER, 0, 0);

    if (strobe_thread_buffer_span_end(writer, span))
        strobe_thread_buffer_commit(writer);
}

static void offer_keyed(const char *name)
{
    strobe_thread_buffer_span_open(NULL, 1, STROBE_KIND_ID_MARKER, name, 0);
    strobe_thread_buffer_span_close(NULL, 1, STROBE_KIND_ID_MARKER, NULL, 0);
}

static void offer_async(const char *name)
{
    strobe_thread_buffer_async_open(NULL, 1, STROBE_KIND_ID_MARKER, name, 0);
    strobe_thread_buffer_async_close(NULL, 1, STROBE_KIND_ID_MARKER, NULL, 0);
}

struct jump {
    const char *point;
    void (*offer)(const char *name);
    /* number of records that the thread makes before, so that the name is known */
    guint offered_before;
    guint stored, n_lost; /* numbers for the interrupted record */
    /* the critical section that commit would end stays open, until a mark ends it */
    gboolean is_open;
};

static const struct jump jumps[] = {
    /* the thread has no buffer yet, in which the loss would be counted */
    {"attach-busy", offer_mark, 0, 0, 0},
    {"thread-buffer-busy", offer_mark, 1, 0, 1},
    {"record-reserved", offer_mark, 1, 0, 1},
    {"record-filled", offer_mark, 1, 0, 1},
    {"cursor-moved", offer_mark, 1, 0, 1},
    {"string-numbered", offer_mark, 0, 0, 1},
    {"record-reserved", offer_reserved, 1, 0, 1, TRUE},
    {"record-filled", offer_reserved, 1, 0, 1, TRUE},
    {"thread-buffer-busy", offer_range, 0, 0, 1},
    {"thread-buffer-busy", offer_range, 1, 0, 1},
    {"span-filled", offer_range, 0, 0, 1},
    {"span-filled", offer_range, 1, 0, 1},
    {"span-ending", offer_range, 1, 1, 0}, /* the span is still open */
    {"record-filled", offer_range, 1, 0, 1},
    {"cursor-moved", offer_range, 1, 0, 1},
    {"span-filled", offer_span, 0, 0, 1},
    {"span-ending", offer_span, 0, 1, 0, TRUE},
    {"record-filled", offer_span, 0, 0, 1, TRUE},
    {"span-filled", offer_keyed, 1, 0, 1},
    {"span-ending", offer_keyed, 1, 1, 0},
    {"record-filled", offer_keyed, 1, 0, 1},
    {"span-filled", offer_async, 1, 0, 1},
    {"loose-claimed", offer_async, 1, 1, 0},
    {"record-filled", offer_async, 1, 0, 1},
};

enum { OFFERS_AFTER = 5 };

static gpointer jump_once(gpointer data)
{
    const struct jump *jump = data;
    g_autofree char *name = g_strdup_printf("new %d", (int)(jump - jumps));

    for (guint i = 0; i < jump->offered_before; i++)
        jump->offer(name);
    if (sigsetjmp(outside, 1) == 0) {
        signal_at = jump->point;
        jump->offer(name);
    }
    g_assert_null(signal_at); /* otherwise the thread has not reached the point */
    if (jump->is_open)
        strobe_mark("outside");
    for (guint i = 0; i < OFFERS_AFTER; i++)
        jump->offer(name);
    return NULL;
}

/* Records that are offered after the jump are stored. The interrupted record is stored or counted
 * as lost. */
static void test_points(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);

    handle_with(jump_out, 0);
    for (guint i = 0; i < G_N_ELEMENTS(jumps); i++) {
        const struct jump *jump = &jumps[i];
        g_test_message("%s, %u before", jump->point, jump->offered_before);
        strobe_session_start(session, NULL);
        g_thread_join(g_thread_new("jump", jump_once, (gpointer)jump));
        strobe_session_stop(session, NULL);
        /* the window's end did not have to wait for a thread */
        g_assert_cmpuint(count_stuck_buffers(), ==, 0);
        g_assert_cmpuint(count_of(session, "marker_instant") + count_of(session, "marker"), ==,
                         jump->offered_before + jump->stored + jump->is_open + OFFERS_AFTER);
        check_nested(jump->n_lost);
    }
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- while a block is changed ---- */

static guint n_marks;

static void jump_often(const char *point, guint n)
{
    static volatile guint i;

    for (i = 0; i < n; i++) {
        if (sigsetjmp(outside, 1))
            continue;
        signal_at = point;
        for (; signal_at; n_marks++)
            strobe_mark("fill");
    }
    strobe_mark("last");
    n_marks++;
}

/* A jump while a block is changed loses neither the block's records nor the block itself: a pool of
 * 8 MB has only 128 blocks, and there are more jumps. */
static void jump_at_blocks(const char *policy)
{
    static const char *const points[] = {"block-detached", "block-owned"};
    enum { JUMPS = 50, WINDOWS = 4 };
    char *folder = scratch_new();
    g_autofree char *buffer =
        g_strdup_printf("\"buffer\": {\"size\": \"8MB\", \"policy\": \"%s\"}", policy);
    StrobeSession *session = session_new(folder, "{}", buffer);
    uint64_t lost[STROBE_LOSS_CAUSES];

    handle_with(jump_out, 0);
    for (guint i = 0; i < WINDOWS * G_N_ELEMENTS(points); i++) {
        n_marks = 0;
        strobe_session_start(session, NULL);
        jump_often(points[i / WINDOWS], JUMPS);
        strobe_session_stop(session, NULL);
        g_test_message("at %s", points[i / WINDOWS]);
        strobe_recorder_losses(lost);
        g_assert_cmpuint(count_of(session, "marker_instant") + lost[STROBE_LOSS_OVERWRITTEN], ==,
                         n_marks);
        g_assert_cmpuint(lost[STROBE_LOSS_NESTED], ==, JUMPS);
    }
    strobe_session_free(session);
    scratch_remove(folder);
}

static void test_blocks(void)
{
    jump_at_blocks("block");
}

static void test_ring_blocks(void)
{
    jump_at_blocks("ring");
}

/* ---- records that are interrupted and continue ---- */

/* A mark between reserve and commit, as an interposer may make it, is lost and counted. */
static void test_reserved(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);

    strobe_session_start(session, NULL);
    StrobeWriter *writer = strobe_thread_buffer_writer();
    uint32_t name = strobe_thread_buffer_intern(writer, "reserved", strlen("reserved"), 0);
    g_assert_nonnull(strobe_thread_buffer_reserve(writer, STROBE_KIND_ID_MARKER_INSTANT, 0, name,
                                                  strobe_clock_now(), 0));
    strobe_mark("nested");
    strobe_thread_buffer_commit(writer);
    strobe_session_stop(session, NULL);
    check_marks(session, "reserved;");
    check_nested(1);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void mark_in_handler(int number)
{
    strobe_mark("in a handler");
}

static void __attribute__((noinline)) mark_below(void)
{
    signal_at = "record-reserved";
    strobe_mark("interrupted");
    strobe_mark("after");
}

/* Marks in a handler that interrupts a record. The frame of the handler has a lower address than
 * that of the record; on an alternate stack it has a higher address, which is still inside of the
 * thread's own stack. */
static void mark_from_handler(int flags)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    char memory[65536];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory}, none = {.ss_flags = SS_DISABLE};

    handle_with(mark_in_handler, flags);
    g_assert_cmpint(sigaltstack(&stack, NULL), ==, 0);
    strobe_session_start(session, NULL);
    mark_below();
    strobe_session_stop(session, NULL);
    sigaltstack(&none, NULL);
    check_marks(session, "interrupted;after;");
    check_nested(1);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void test_handler(void)
{
    mark_from_handler(0);
}

static void test_alternate_stack(void)
{
    mark_from_handler(SA_ONSTACK);
}

static ucontext_t thread_context, lower, upper;

static void switch_to_upper(int number)
{
    swapcontext(&lower, &upper);
}

static void mark_in_upper(void)
{
    strobe_mark("upper");
    swapcontext(&upper, &lower);
}

static void make_coroutine(ucontext_t *context, char *stack, gsize size, void (*call)(void))
{
    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = size;
    context->uc_link = &thread_context;
    makecontext(context, call, 0);
}

/* A handler switches to another coroutine. From the position of its stack it does not follow
 * whether the interrupted record still continues. */
static void test_coroutines(void)
{
    enum { STACK = 256 << 10 };
    char *folder = scratch_new(), *stacks = g_malloc(2 * STACK);
    StrobeSession *session = session_new(folder, "{}", NULL);

    make_coroutine(&lower, stacks, STACK, mark_below);
    make_coroutine(&upper, stacks + STACK, STACK, mark_in_upper);
    handle_with(switch_to_upper, 0);
    strobe_session_start(session, NULL);
    swapcontext(&thread_context, &lower);
    strobe_session_stop(session, NULL);
    check_marks(session, "interrupted;after;");
    check_nested(1);
    strobe_session_free(session);
    scratch_remove(folder);
    g_free(stacks);
}

/* ---- at random ---- */

struct worker {
    pthread_t thread;
    volatile guint64 n_offered; /* number of records that were offered inside of attempts */
    volatile guint n_attempts;
};

static guint jumps_wanted;
static __thread volatile sig_atomic_t n_jumps, may_jump;
static int n_at_work; /* atomic */

static void jump_if_allowed(int number)
{
    if (!may_jump)
        return;
    may_jump = 0;
    n_jumps++;
    siglongjmp(outside, 1);
}

/* Records until a signal handler jumps out. The end of the range around the attempt also ends the
 * ranges that the jump has left open. */
static void attempt_jump(struct worker *worker)
{
    StrobeRange around = strobe_range_begin("attempt");

    worker->n_attempts++;
    if (sigsetjmp(outside, 1) == 0)
        for (may_jump = 1;;) {
            worker->n_offered += 2;
            StrobeRange range = strobe_range_begin("range");
            strobe_mark_recorded("mark", worker->n_offered);
            strobe_range_end(range);
        }
    strobe_range_end(around);
}

static void *attempt_often(void *data)
{
    while ((guint)n_jumps < jumps_wanted)
        attempt_jump(data);
    __atomic_sub_fetch(&n_at_work, 1, __ATOMIC_RELEASE);
    return NULL;
}

struct found {
    guint64 n_attempts, n_inside;
    /* the tracks that were found, and the last argument of each track's marks */
    guint64 tracks[8], last[8];
};

static void add_found(const StrobeView *view, StrobeText name, gpointer user)
{
    struct found *found = user;
    guint i = 0;

    g_assert_false(view->flags & STROBE_VIEW_UNFINISHED);
    if (strcmp(name.bytes, "attempt") == 0) {
        found->n_attempts++;
        return;
    }
    g_assert_true(!strcmp(name.bytes, "mark") || !strcmp(name.bytes, "range"));
    found->n_inside++;
    if (strcmp(name.bytes, "mark"))
        return;
    while (found->tracks[i] && found->tracks[i] != view->track)
        i++;
    found->tracks[i] = view->track;
    g_assert_cmpuint(strobe_view_u64(view, 0), >, found->last[i]);
    found->last[i] = strobe_view_u64(view, 0);
}

static void interrupt_all(struct worker *workers, guint n)
{
    struct sigaction action = {.sa_handler = jump_if_allowed};

    sigaction(SIGALRM, &action, NULL);
    __atomic_store_n(&n_at_work, n, __ATOMIC_RELEASE);
    for (guint i = 0; i < n; i++)
        pthread_create(&workers[i].thread, NULL, attempt_often, &workers[i]);
    while (__atomic_load_n(&n_at_work, __ATOMIC_ACQUIRE)) {
        for (guint i = 0; i < n; i++)
            pthread_kill(workers[i].thread, SIGALRM);
        g_usleep(g_random_int_range(1, 100));
    }
    for (guint i = 0; i < n; i++)
        pthread_join(workers[i].thread, NULL);
}

/* Each jump loses at most one record, and the number of losses is at most one too high for each. */
static void test_random(void)
{
    enum { WORKERS = 3 };
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", "\"buffer\": {\"policy\": \"block\"}");
    struct worker workers[WORKERS] = {0};
    struct found found = {0};
    uint64_t lost[STROBE_LOSS_CAUSES];
    guint64 n_attempts = 0, n_offered = 0, n_in_all;

    strobe_testpoint_hook = NULL;
    jumps_wanted = test_count("STROBE_TEST_JUMPS", 300);
    strobe_session_start(session, NULL);
    interrupt_all(workers, WORKERS);
    strobe_session_stop(session, NULL);
    for (guint i = 0; i < WORKERS; i++) {
        n_attempts += workers[i].n_attempts;
        n_offered += workers[i].n_offered;
    }
    strobe_recorder_losses(lost);
    g_autofree char *capture = capture_of(session);
    read_capture(capture, "marker_instant", add_found, &found);
    read_capture(capture, "marker", add_found, &found);
    n_in_all = found.n_inside + lost[STROBE_LOSS_NESTED];
    g_test_message("%" G_GUINT64_FORMAT " offered, %" G_GUINT64_FORMAT
                   " attempts, %" G_GUINT64_FORMAT " stored, %" G_GUINT64_FORMAT " nested",
                   n_offered, n_attempts, found.n_inside, lost[STROBE_LOSS_NESTED]);
    check_nested(lost[STROBE_LOSS_NESTED]);
    g_assert_cmpuint(found.n_attempts, ==, n_attempts);
    g_assert_cmpuint(lost[STROBE_LOSS_NESTED], >, 0);
    g_assert_cmpuint(lost[STROBE_LOSS_NESTED], <=, n_attempts);
    g_assert_cmpuint(n_in_all, <=, n_offered + n_attempts);
    g_assert_cmpuint(n_in_all + 2 * n_attempts, >=, n_offered);
    strobe_session_free(session);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/jump/points", test_points);
    g_test_add_func("/jump/blocks", test_blocks);
    g_test_add_func("/jump/ring-blocks", test_ring_blocks);
    g_test_add_func("/jump/reserved", test_reserved);
    g_test_add_func("/jump/handler", test_handler);
    g_test_add_func("/jump/alternate-stack", test_alternate_stack);
    if (!WITH_TSAN)
        g_test_add_func("/jump/coroutines", test_coroutines);
    g_test_add_func("/jump/random", test_random);
    return g_test_run();
}
