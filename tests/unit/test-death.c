/* SPDX-License-Identifier: Apache-2.0 */
/* Kills a process with SIGKILL at every test point of the recorder and of recovery. Each committed
 * record must be in the capture once or be counted as lost, no record may be invented, and no pool
 * may be left. The points are read from the source files, so that new points are tested too. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "death-load.h"
#include "hold.h"
#include "json-text.h"
#include "reader.h"
#include "result.h"
#include "support.h"

/* The way in which the process records, so that it reaches the points whose names begin with
 * `prefix`. Some points are reached only by threads that fill blocks faster than the writer thread
 * frees them. For these the writer thread is held at `held`, because with a sanitizer, or on a busy
 * machine, the threads would not be faster. */
static const struct plan {
    const char *prefix;
    struct death_plan plan;
    const char *held;
} plans[] = {
    {"ring-tid", {"\"buffer\": {\"size\": \"8MB\", \"policy\": \"ring\"}", 20000, TRUE, TRUE}},
    {"ring-",
     {"\"buffer\": {\"size\": \"8MB\", \"policy\": \"ring\"}", 20000, TRUE, TRUE},
     "ring-tidied"},
    {"dump-", {"\"buffer\": {\"size\": \"8MB\", \"policy\": \"ring\"}", 3000, TRUE, TRUE}},
    {"roll-",
     {"\"buffer\": {\"size\": \"32MB\", \"flush_interval\": \"2ms\"}, \"rotate\": {\"size\": "
      "\"1MB\"}",
      12000, FALSE, FALSE}},
    {"block-awaited",
     {"\"buffer\": {\"size\": \"8MB\", \"policy\": \"block\"}", 20000, TRUE, FALSE},
     "full-taken"},
    {"", {"\"buffer\": {\"size\": \"32MB\", \"flush_interval\": \"2ms\"}", 3000, FALSE, FALSE}},
};

static const struct plan *plan_for(const char *point)
{
    const struct plan *p = plans;

    while (!g_str_has_prefix(point, p->prefix))
        p++;
    return p;
}

/* ---- the records in the captures ---- */

struct found {
    struct death_progress *progress;
    GHashTable *unfinished; /* numbers of the unfinished ranges "open" that were found */
    guint64 lost[STROBE_LOSS_CAUSES];
};

/* Returns the number of the thread, which follows `prefix` in the name. */
static guint thread_of(StrobeText name, const char *prefix)
{
    guint index = (guint)(name.bytes[strlen(prefix)] - '0');

    g_assert_true(g_str_has_prefix(name.bytes, prefix));
    g_assert_cmpuint(index, <, DEATH_THREADS);
    return index;
}

static void find_one(guint8 states[DEATH_THREADS][DEATH_RECORDS_MAX], const StrobeView *view,
                     StrobeText name, const char *prefix)
{
    guint64 i = strobe_view_u64(view, 0);
    guint index = thread_of(name, prefix);

    g_assert_cmpuint(i, <, DEATH_RECORDS_MAX);
    g_assert_cmpuint(states[index][i], !=, DEATH_NONE);  /* the record is not invented */
    g_assert_cmpuint(states[index][i], !=, DEATH_FOUND); /* the record is not there twice */
    states[index][i] = DEATH_FOUND;
}

/* Checks that a span which was open when its thread, its window or the process ended is in the
 * captures only once. */
static void find_unfinished(struct found *found, const StrobeView *view, StrobeText name)
{
    gint64 key = (gint64)strobe_view_u64(view, 0) << 8;

    if (strcmp(name.bytes, "open") != 0)
        key |= 1 + (name.bytes[0] == 'o' ? thread_of(name, "open ")
                                         : DEATH_THREADS + thread_of(name, "range "));
    g_assert_true(g_hash_table_add(found->unfinished, g_memdup2(&key, sizeof key)));
}

static void find_record(const StrobeView *view, StrobeText name, gpointer user)
{
    struct found *found = user;

    if (view->flags & STROBE_VIEW_UNFINISHED) {
        find_unfinished(found, view, name);
    } else if (strcmp(view->kind->name, "marker") == 0 && name.bytes[0] == 'r') {
        find_one(found->progress->ranges, view, name, "range ");
    } else if (strcmp(view->kind->name, "marker_instant") == 0 && name.length) {
        g_autofree char *expected =
            g_strdup_printf("mark %c.%" G_GUINT64_FORMAT, name.bytes[5], strobe_view_u64(view, 0));
        g_assert_cmpstr(name.bytes, ==, expected);
        find_one(found->progress->marks, view, name, "mark ");
    }
}

/* Checks that a recovered capture is complete and that its pool is removed. Adds its losses to
 * `lost`. Returns whether it is the capture of a dump. */
static gboolean check_capture(const char *path, guint64 lost[STROBE_LOSS_CAUSES])
{
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(path, &error);
    StrobeView views[200];

    g_assert_no_error(error);
    while (strobe_reader_next(reader, views, G_N_ELEMENTS(views), &error))
        ;
    const StrobeReaderStats *stats = strobe_reader_stats(reader);
    g_assert_true(stats->sealed);
    g_assert_cmpuint(stats->n_damaged, ==, 0);
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        lost[i] += stats->lost[i];
    JsonObject *metadata = strobe_reader_metadata(reader);
    const char *pool = strobe_json_member_text(metadata, "pool");
    g_assert_true(*pool && !g_file_test(pool, G_FILE_TEST_EXISTS));
    gboolean is_dump = json_object_has_member(metadata, "dump_reason");
    strobe_reader_free(reader);
    return is_dump;
}

static GPtrArray *find_results(const char *folder)
{
    GPtrArray *results = strobe_result_find(folder, NULL);

    /* the process was killed before it had made a capture */
    return results ? results : g_ptr_array_new();
}

/* Returns the number of committed records that are missing. If `only_oldest`, only records that a
 * flight recorder overwrites may be lost, and a window must have its newest records without a
 * gap. */
static guint64 count_missing(const guint8 *states, const guint8 *windows, gboolean only_oldest)
{
    guint64 missing = 0;
    int found_in = -1; /* window of the last record that was found */

    for (guint i = 0; i < DEATH_RECORDS_MAX; i++) {
        gboolean is_missing = states[i] == DEATH_COMMITTED;
        missing += is_missing;
        if (states[i] == DEATH_FOUND)
            found_in = windows[i];
        if (only_oldest && is_missing && found_in == windows[i])
            g_error("record %u of window %u is missing", i, windows[i]);
    }
    return missing;
}

static void check_all(const char *folder, struct death_progress *progress)
{
    g_autoptr(GPtrArray) results = find_results(folder);
    struct found found = {.progress = progress};
    guint64 missing = 0;

    found.unfinished = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint i = 0; i < results->len; i++) {
        g_autoptr(GError) error = NULL;
        gboolean live = TRUE;
        g_assert_true(strobe_result_recover(g_ptr_array_index(results, i), &live, &error));
        g_assert_no_error(error);
        g_assert_false(live);
    }
    for (guint i = 0; i < results->len; i++) {
        const StrobeResult *result = g_ptr_array_index(results, i);
        guint64 lost[STROBE_LOSS_CAUSES] = {0};
        if (check_capture(result->source, lost))
            continue;
        read_capture(result->source, NULL, find_record, &found);
        for (guint k = 0; k < STROBE_LOSS_CAUSES; k++)
            found.lost[k] += lost[k];
    }
    for (guint t = 0; t < DEATH_THREADS; t++) {
        gboolean only_oldest = found.lost[STROBE_LOSS_POOL_EMPTY] == 0;
        missing += count_missing(progress->ranges[t], progress->range_window[t], only_oldest);
        missing += count_missing(progress->marks[t], progress->mark_window[t], only_oldest);
    }
    g_assert_cmpuint(missing, <=,
                     found.lost[STROBE_LOSS_POOL_EMPTY] + found.lost[STROBE_LOSS_OVERWRITTEN]);
    g_assert_cmpuint(found.lost[STROBE_LOSS_TOO_LARGE], >=, progress->refused_least);
    g_assert_cmpuint(found.lost[STROBE_LOSS_TOO_LARGE], <=, progress->refused_most);
    g_hash_table_unref(found.unfinished);
}

/* ---- deaths ---- */

static struct death_progress *progress_new(void)
{
    struct death_progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    g_assert_true(progress != MAP_FAILED);
    return progress;
}

/* Runs a process that is killed at its `nth` arrival at `point`. Returns whether it arrived that
 * often. */
static gboolean run_and_die(const char *folder, struct death_progress *progress, const char *point,
                            guint nth)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        const struct plan *plan = plan_for(point);
        hold_kill_at(point, nth);
        if (nth == 1 && plan->held) /* at later arrivals no thread is held */
            hold_at(plan->held, 1);
        death_run(folder, &plan->plan, progress);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_test_message("%s, time %u: %s", point, nth, WIFSIGNALED(status) ? "killed" : "not reached");
    g_assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : status == 0);
    return WIFSIGNALED(status);
}

static gboolean die_at(const char *point, guint nth)
{
    char *folder = scratch_new();
    struct death_progress *progress = progress_new();
    gboolean is_reached = run_and_die(folder, progress, point, nth);

    check_all(folder, progress);
    munmap(progress, sizeof *progress);
    scratch_remove(folder);
    return is_reached;
}

static gboolean is_of_recovery(const char *point)
{
    return g_str_has_prefix(point, "recover-");
}

static void test_recorder(void)
{
    g_auto(GStrv) points = hold_all_points();
    guint more = test_count("STROBE_TEST_DEATHS", 1);

    for (char **point = points; *point; point++) {
        if (is_of_recovery(*point))
            continue;
        gboolean is_reached = die_at(*point, 1);
        /* "fork-child" is reached only in a forked child, which is killed, while its parent
         * continues to record. */
        g_assert_true(is_reached == (strcmp(*point, "fork-child") != 0));
        for (guint i = 0; i < more; i++)
            die_at(*point, (guint)g_test_rand_int_range(2, 8 << i % 8));
    }
}

static void recover_and_die(const char *folder, const char *point)
{
    g_autoptr(GPtrArray) results = find_results(folder);
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        hold_kill_at(point, 1);
        for (guint i = 0; i < results->len; i++)
            strobe_result_recover(g_ptr_array_index(results, i), NULL, NULL);
        _exit(1); /* recovery did not reach the point */
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Kills a recovery at `point`, after its program was killed, and checks the result of a second
 * recovery. */
static void die_twice(const char *point)
{
    char *folder = scratch_new();
    struct death_progress *progress = progress_new();

    g_assert_true(
        run_and_die(folder, progress, "record-reserved", (guint)g_test_rand_int_range(2000, 9000)));
    g_test_message("and then %s", point);
    recover_and_die(folder, point);
    check_all(folder, progress);
    munmap(progress, sizeof *progress);
    scratch_remove(folder);
}

static void test_recovery(void)
{
    g_auto(GStrv) points = hold_all_points();
    guint times = 3 * test_count("STROBE_TEST_DEATHS", 1);

    for (char **point = points; *point; point++)
        for (guint i = 0; is_of_recovery(*point) && i < times; i++)
            die_twice(*point);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/death/recorder", test_recorder);
    g_test_add_func("/death/recovery", test_recovery);
    return g_test_run();
}
