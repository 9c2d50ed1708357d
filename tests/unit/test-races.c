/* SPDX-License-Identifier: Apache-2.0 */
/* Tests races whose order is fixed: a thread is held at a test point of the recorder while others
 * continue. Races at a window's end are in test-window-races.c. */
#include <fcntl.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/wait.h>
#include <unistd.h>
#include "actor.h"
#include "hold.h"
#include "kind-table.h"
#include "thread-buffer.h"
#include "async-span.h"
#include "recorder.h"
#include "support.h"

/* ---- shared tables ---- */

/* A thread that interns a string is held before it has published the id. Meanwhile another thread
 * interns the same string and another one, and the writer writes the published ones. */
static void test_strings(void)
{
    static const char *const points[] = {"string-placed", "string-numbered", "string-published"};
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{}", "\"buffer\": {\"size\": \"8MB\", \"flush_interval\": \"1ms\"}");

    for (guint i = 0; i < G_N_ELEMENTS(points); i++) {
        g_autofree char *text = g_strdup_printf("wanted twice %u", i);
        g_autofree char *other = g_strdup_printf("wanted once %u", i);
        struct actor actor = {.point = points[i], .act = act_mark, .text = text};
        strobe_session_start(session, NULL);
        actor_hold(&actor);
        strobe_mark(text);
        strobe_mark(other);
        g_usleep(50000); /* time for flushes, which do not have the string of the held thread */
        actor_finish(&actor);
        strobe_session_stop(session, NULL);
        g_autoptr(GHashTable) marks = names_of(session, "marker_instant");
        g_assert_cmpuint(count_of(marks, text), ==, 2);
        g_assert_cmpuint(count_of(marks, other), ==, 1);
        g_assert_cmpuint(lost_in_all(), ==, 0);
    }
    strobe_session_free(session);
    scratch_remove(folder);
}

struct tracks {
    guint64 of_main, of_actor;
};

static void note_track(const StrobeView *view, StrobeText name, gpointer user)
{
    struct tracks *tracks = user;

    if (strcmp(name.bytes, "main") == 0)
        tracks->of_main = view->track;
    else
        tracks->of_actor = view->track;
}

/* A thread is held before it has published the id of its track. */
static void test_track(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{}", "\"buffer\": {\"size\": \"8MB\", \"flush_interval\": \"1ms\"}");
    struct actor actor = {
        .point = "track-numbered", .act = act_mark, .text = "actor", .is_new = TRUE};
    struct tracks tracks = {0};

    strobe_session_start(session, NULL);
    actor_hold(&actor);
    strobe_mark("main");
    g_usleep(50000);
    actor_finish(&actor);
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    read_capture(capture, "marker_instant", note_track, &tracks);
    g_assert_cmpuint(tracks.of_main, !=, 0);
    g_assert_cmpuint(tracks.of_actor, !=, 0);
    g_assert_cmpuint(tracks.of_main, !=, tracks.of_actor);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void mark_times(const char *name, guint n)
{
    while (n--)
        strobe_mark(name);
}

static gpointer third_main(gpointer data)
{
    mark_times("third", 2 * BLOCK_MARKS);
    return NULL;
}

/* A thread that takes a block is held after it has read the first free block and the one after it.
 * In the meantime the first is taken, filled, written and freed again, and the second is being
 * filled. The thread must then not make the second the first free block. */
static void test_free_list(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    struct actor actor = {.point = "free-loaded", .act = act_many, .text = "actor"};

    strobe_session_start(session, NULL);
    /* This thread takes block 0, the actor block 1. The actor is held while it takes block 2, and
     * has read 3 as the next one. */
    strobe_mark("main");
    actor_hold(&actor);
    g_usleep(50000);                     /* time in which block 1 is freed */
    mark_times("main", 3 * BLOCK_MARKS); /* fills the blocks 0, 1 and 2, and begins 3 */
    g_usleep(50000); /* time after which block 2 is the first free block again */
    actor_finish(&actor);
    mark_times("main", BLOCK_MARKS / 4);
    g_thread_join(g_thread_new("third", third_main, NULL));
    mark_times("main", BLOCK_MARKS / 4);
    strobe_session_stop(session, NULL);
    g_autoptr(GHashTable) marks = names_of(session, "marker_instant");
    g_assert_cmpuint(count_of(marks, "before"), ==, 1);
    g_assert_cmpuint(count_of(marks, "actor"), ==, BLOCK_MARKS + 1);
    g_assert_cmpuint(count_of(marks, "third"), ==, 2 * BLOCK_MARKS);
    g_assert_cmpuint(count_of(marks, "main"), ==, 1 + 3 * BLOCK_MARKS + 2 * (BLOCK_MARKS / 4));
    g_assert_cmpuint(lost_in_all(), ==, 0);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- the writer thread ---- */

/* The writer is held at each point of its cycle while a thread fills blocks and interns new
 * strings. No record may be stored twice, and each one that is not stored is counted as lost. */
static void test_writer(void)
{
    static const char *const points[] = {"flush-noted",   "full-taken",     "flush-taken",
                                         "flush-defined", "block-written",  "flush-written",
                                         "full-written",  "block-disowned", "losses-written"};
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{}", "\"buffer\": {\"size\": \"8MB\", \"flush_interval\": \"1ms\"}");

    for (guint i = 0; i < G_N_ELEMENTS(points); i++) {
        struct actor fill = {.text = "fill"};
        guint offered = 0;
        g_test_message("held at %s", points[i]);
        strobe_session_start(session, NULL);
        strobe_mark("fill");
        Hold *hold = hold_at(points[i], 1);
        for (; offered < 40; offered++) {
            act_many(&fill);
            g_usleep(1000);
        }
        hold_wait(hold);
        for (; offered < 200; offered++) {
            g_autofree char *text = g_strdup_printf("new %u.%u", i, offered);
            strobe_mark(text);
            act_many(&fill);
        }
        hold_release(hold);
        strobe_session_stop(session, NULL);
        g_autoptr(GHashTable) marks = names_of(session, "marker_instant");
        guint stored = count_of(marks, "fill");
        for (guint k = 40; k < 200; k++) {
            g_autofree char *text = g_strdup_printf("new %u.%u", i, k);
            g_assert_cmpuint(count_of(marks, text), <=, 1);
            stored += count_of(marks, text);
        }
        g_assert_cmpuint(stored + lost_by(STROBE_LOSS_POOL_EMPTY), ==,
                         1 + 200 * (BLOCK_MARKS + 1) + 160);
        g_assert_cmpuint(count_of(marks, ""), ==, 0);
    }
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- fork ---- */

/* Other threads may be in the allocator. The allocator of AddressSanitizer then stays locked in the
 * child. */
static gboolean are_others_busy;

static void record_in_child(const char *folder)
{
    alarm(20);
    if (strobe_enabled())
        _exit(2);
    if (WITH_TSAN || (IS_SANITIZED && are_others_busy))
        _exit(0);
    StrobeSession *session = session_new(folder, "{}", NULL);
    strobe_session_start(session, NULL);
    for (guint i = 0; i < 5000; i++)
        strobe_mark("child");
    strobe_session_stop(session, NULL);
    int good = marks_of(session, "child") == 5000 && lost_in_all() == 0;
    strobe_session_free(session);
    _exit(good ? 0 : 1);
}

static void fork_and_check(const char *folder)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        record_in_child(folder);
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
}

/* A forked child has a copy of a thread's unfinished record, but not the thread. It can record in a
 * session of its own. */
static void test_fork(void)
{
    static const struct {
        const char *point;
        void (*act)(struct actor *);
        guint stored;
    } cases[] = {
        {"attach-busy", act_mark, 1},
        {"record-reserved", act_mark, 1},
        {"string-numbered", act_mark, 1},
        {"block-detached", act_many, BLOCK_MARKS + 1},
        {"free-loaded", act_many, BLOCK_MARKS + 1},
        {"block-owned", act_many, BLOCK_MARKS + 1},
    };
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf("forked %u", i);
        struct actor actor = {.point = cases[i].point,
                              .act = cases[i].act,
                              .text = text,
                              .is_new = strcmp(cases[i].point, "attach-busy") == 0};
        strobe_session_start(session, NULL);
        actor_hold(&actor);
        fork_and_check(folder);
        actor_finish(&actor);
        fork_and_check(folder);
        strobe_session_stop(session, NULL);
        g_test_message("held at %s", cases[i].point);
        g_assert_cmpuint(marks_of(session, text), ==, cases[i].stored);
        g_assert_cmpuint(lost_in_all(), ==, 0);
    }
    strobe_session_free(session);
    scratch_remove(folder);
}

static void act_make(struct actor *actor)
{
    StrobeSession *session = session_new(actor->text, "{}", NULL);

    strobe_session_start(session, NULL);
    strobe_mark("parent");
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(marks_of(session, "parent"), ==, 1);
    strobe_session_free(session);
}

/* A session that another thread is just making does not belong to the child, which can make its
 * own. */
static void test_fork_while_made(void)
{
    static const char *const points[] = {"pool-made", "recorder-opened"};
    char *folder = scratch_new();

    for (guint i = 0; i < G_N_ELEMENTS(points); i++) {
        struct actor actor = {.point = points[i], .act = act_make, .text = folder, .is_new = TRUE};

        strobe_session_free(session_new(folder, "{}", NULL)); /* registers the fork handlers */
        actor_hold(&actor);
        are_others_busy = TRUE;
        fork_and_check(folder);
        are_others_busy = FALSE;
        actor_finish(&actor);
    }
    scratch_remove(folder);
}

/* Forks a child, which exits with 1 if it has a pool mapped, and stores its wait status in
 * *status. */
static gpointer fork_and_look(gpointer status)
{
    static char maps[1 << 20];
    pid_t pid = fork();

    if (pid == 0) {
        int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
        gsize used = 0;
        for (ssize_t n; (n = read(fd, maps + used, sizeof maps - 1 - used)) > 0;)
            used += (gsize)n;
        _exit(strstr(maps, ".pool") != NULL);
    }
    g_assert_cmpint(waitpid(pid, status, 0), ==, pid);
    return NULL;
}

/* A child that is forked while a pool is being mapped must not have the pool mapped, because it
 * would keep the program's lock on the pool. */
static void test_fork_while_mapped(void)
{
    char *folder = scratch_new();
    struct actor actor = {.point = "pool-mapped", .act = act_make, .text = folder, .is_new = TRUE};
    int status = -1;

    strobe_session_free(session_new(folder, "{}", NULL)); /* registers the fork handlers */
    actor_hold(&actor);
    GThread *thread = g_thread_new("fork", fork_and_look, &status);
    /* time for the fork, which must wait; if it did not, its child would exist after this time */
    g_usleep(100000);
    actor_finish(&actor);
    g_thread_join(thread);
    g_assert_cmpint(status, ==, 0);
    scratch_remove(folder);
}

static void act_fork(struct actor *actor)
{
    fork_and_check(actor->text);
    strobe_mark("forked");
}

/* Windows end and begin while a thread is held at the begin of its fork. */
static void test_fork_across_windows(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    struct actor actor = {.point = "fork-begun", .act = act_fork, .text = folder};

    strobe_session_start(session, NULL);
    actor_hold(&actor);
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(marks_of(session, "before"), ==, 1);
    strobe_session_start(session, NULL);
    actor_finish(&actor);
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(marks_of(session, "forked"), ==, 1);
    g_assert_cmpuint(lost_in_all(), ==, 0);
    strobe_session_free(session);
    scratch_remove(folder);
}

static int marks_at_fork;

static void mark_at_fork(void)
{
    if (marks_at_fork)
        strobe_mark("at fork");
}

/* Adds fork handlers of the program before Strobe's, so that they run between Strobe's handlers and
 * the fork. */
static __attribute__((constructor)) void add_fork_handlers(void)
{
    pthread_atfork(mark_at_fork, mark_at_fork, mark_at_fork);
}

static void test_fork_handlers(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);

    strobe_session_start(session, NULL);
    marks_at_fork = 1;
    for (guint i = 0; i < 3; i++)
        fork_and_check(folder);
    marks_at_fork = 0;
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(marks_of(session, "at fork"), ==, 6);
    g_assert_cmpuint(lost_in_all(), ==, 0);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- one async span that two threads end ---- */

enum { RACED_KEY = 7 };

static gboolean end_raced(void)
{
    const struct strobe_marker fields = {RACED_KEY};

    return strobe_thread_buffer_async_close(NULL, RACED_KEY, STROBE_KIND_ID_MARKER, &fields,
                                            sizeof fields);
}

static gboolean actor_has_ended;

static void begin_raced(const char *name)
{
    strobe_thread_buffer_async_open(NULL, RACED_KEY, STROBE_KIND_ID_MARKER, name, RACED_KEY);
}

static void act_begin_and_end(struct actor *actor)
{
    begin_raced(actor->text);
    actor_has_ended = end_raced();
}

static void act_end(struct actor *actor)
{
    actor_has_ended = end_raced();
}

static void assert_one_record(StrobeSession *session, const char *name)
{
    strobe_session_stop(session, NULL);
    g_autoptr(GHashTable) ranges = names_of(session, "marker");
    g_assert_cmpuint(count_of(ranges, name), ==, 1);
    g_assert_cmpuint(lost_in_all(), ==, 0);
}

/* The thread that began the span is held after it has claimed the span, and before it has checked
 * whether another thread ends it. */
static void test_own_end_first(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    struct actor actor = {.point = "loose-claimed", .act = act_begin_and_end, .text = "raced for"};

    /* first with a thread buffer that no other thread uses, then with a shared one */
    for (guint i = 0; i < 2; i++) {
        strobe_session_start(session, NULL);
        actor_hold(&actor);
        g_assert_false(end_raced());
        actor_finish(&actor);
        g_assert_true(actor_has_ended);
        assert_one_record(session, "raced for");
    }
    strobe_session_free(session);
    scratch_remove(folder);
}

/* The other thread is held after it has announced that it uses the thread buffer. The thread that
 * began the span can end it first. */
static void test_other_end_first(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    struct actor actor = {.point = "thread-buffer-sharing", .act = act_end, .text = "raced for"};

    strobe_session_start(session, NULL);
    begin_raced("raced for");
    actor_hold(&actor);
    g_assert_true(end_raced());
    begin_raced("again"); /* the same key, in the same entry of the stack */
    actor_finish(&actor);
    g_assert_true(actor_has_ended);
    g_assert_false(end_raced());
    assert_one_record(session, "raced for");
    g_autoptr(GHashTable) ranges = names_of(session, "marker");
    g_assert_cmpuint(count_of(ranges, "again"), ==, 1);
    strobe_session_free(session);
    scratch_remove(folder);
}

static gpointer third_ends(gpointer data)
{
    return GINT_TO_POINTER(end_raced());
}

/* A range uses the span's entry of the stack when the second thread looks for the span. */
static gpointer reuse_place(gpointer data)
{
    const struct strobe_marker fields = {8};
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    struct actor actor = {.point = "thread-buffer-sharing", .act = act_end, .text = "raced for"};

    strobe_session_start(session, NULL);
    begin_raced("raced for");
    strobe_thread_buffer_async_open(NULL, 8, STROBE_KIND_ID_MARKER, "beside", 8);
    actor_hold(&actor);
    g_assert_true(GPOINTER_TO_INT(g_thread_join(g_thread_new("third", third_ends, NULL))));
    g_assert_true(
        strobe_thread_buffer_async_close(NULL, 8, STROBE_KIND_ID_MARKER, &fields, sizeof fields));
    StrobeRange range = strobe_range_begin("mark");
    actor_finish(&actor);
    strobe_range_end(range);
    strobe_session_stop(session, NULL);
    g_autoptr(GHashTable) ranges = names_of(session, "marker");
    g_assert_false(actor_has_ended);
    g_assert_cmpuint(count_of(ranges, "raced for"), ==, 1);
    g_assert_cmpuint(count_of(ranges, "mark"), ==, 1);
    strobe_session_free(session);
    scratch_remove(folder);
    return NULL;
}

/* Runs reuse_place in a new thread with its own thread buffer. A thread buffer that is shared
 * already stays shared, so that no thread would begin to share it. */
static void test_place_reused(void)
{
    g_thread_join(g_thread_new("reuses", reuse_place, NULL));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/races/strings", test_strings);
    g_test_add_func("/races/track", test_track);
    g_test_add_func("/races/free-list", test_free_list);
    g_test_add_func("/races/writer", test_writer);
    g_test_add_func("/races/fork", test_fork);
    g_test_add_func("/races/fork-while-made", test_fork_while_made);
    g_test_add_func("/races/fork-while-mapped", test_fork_while_mapped);
    g_test_add_func("/races/fork-handlers", test_fork_handlers);
    g_test_add_func("/races/async-span/place-reused", test_place_reused);
    g_test_add_func("/races/async-span/own-end-first", test_own_end_first);
    g_test_add_func("/races/async-span/other-end-first", test_other_end_first);
    g_test_add_func("/races/fork-across-windows", test_fork_across_windows);
    return g_test_run();
}
