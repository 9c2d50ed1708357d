/* SPDX-License-Identifier: Apache-2.0 */
/* Captures that are made of finished records: order, absent fields, many strings, odd times. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <strobe/kinds.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "import-capture.h"
#include "item-order.h"
#include "reader.h"
#include "record-sorter.h"

/* Numbers spread over 0..max without a pattern that the sorter could profit from. */
static gint64 spread(guint i, gint64 max)
{
    return (gint64)((guint64)i * 2654435761u % (guint64)max);
}

/* Ends: without order, of `n_files` files that are sorted each, with a record in a hundred that
 * comes late by up to 200 others, or such files with one in 300 that comes late by up to all. */
typedef enum Pattern { RANDOM, FILES, LATE, FAR } Pattern;

static gint64 end_of(Pattern pattern, guint i, guint n)
{
    const guint n_files = 5;

    if (pattern == RANDOM)
        return 50 + spread(i * 7, 100);
    if (pattern == FILES)
        return 50 + i % (n / n_files + 1);
    if (pattern == FAR)
        return 50 + (i % 300 ? i % (n / n_files + 1) : spread(i, n / n_files + 1));
    return 50 + i - (i % 100 ? 0 : MIN(i, (guint)spread(i, 200)));
}

#define SPAN 7u /* the kind of this test's records */

static const StrobeKindEnds ends = {[SPAN] = 1};

/* The number stands where records have a name. */
static guint64 head_of(guint64 number, guint words)
{
    return number << 32 | SPAN << 16 | words;
}

/* By ends, inner spans first, equal ones as they came; `memory` decides how many runs there are. */
static void check_pattern(gsize memory, guint n, Pattern pattern)
{
    StrobeRecordSorter *sorter = strobe_record_sorter_new(NULL, memory, ends);
    const guint64 *record;
    gint64 begin = 0, end = -1;
    guint64 number = 0;
    guint32 words;
    guint seen = 0;

    for (guint i = 0; i < n; i++) {
        gint64 b = spread(i, 50), e = end_of(pattern, i, n);
        guint64 *words_of = strobe_record_sorter_add(sorter, b, e, 3 + i % 5, NULL);

        g_assert_nonnull(words_of);
        words_of[0] = head_of(i, 3 + i % 5);
        words_of[1] = (guint64)b;
        words_of[2] = (guint64)e;
    }
    for (; (record = strobe_record_sorter_next(sorter, &words, NULL)); seen++) {
        gint64 b = (gint64)record[1], e = (gint64)record[2];

        g_assert_cmpuint(words, ==, 3 + (record[0] >> 32) % 5);
        g_assert_true(e > end || (e == end && (b < begin || (b == begin && record[0] > number))));
        begin = b;
        end = e;
        number = record[0];
    }
    g_assert_cmpuint(seen, ==, n);
    strobe_record_sorter_free(sorter);
}

static void check_order(gsize memory, guint n)
{
    for (Pattern pattern = RANDOM; pattern <= FAR; pattern++)
        check_pattern(memory, n, pattern);
}

static void test_sorter(void)
{
    check_order(1 << 20, 0);
    check_order(1 << 20, 1);
    check_order(1 << 20, 3000); /* in memory */
    check_order(0, 60000);      /* many runs, some larger than a buffer of the merge */
    check_order(300 << 10, 60000);
    check_order(16 << 20, 60000); /* in memory */
}

/* Where no stretch can be added that is merged, the room to sort all is taken into account before
 * it is needed: the memory is full by then. */
static void test_last_stretch(void)
{
    enum { LENGTH = 500, N = STROBE_STRETCHES_MAX * LENGTH };
    g_autofree guint64 *words = g_new(guint64, 3 * N);
    g_autofree guint32 *items = g_new(guint32, N);
    StrobeItemOrder order = {.words = words, .items = items};

    strobe_item_order_init(&order, ends);
    for (guint i = 0; i < N; i++) {
        const StrobeRecordKey key = {0, i % LENGTH, 3};
        const guint64 record[] = {head_of(i, 3), 0, i % LENGTH};

        memcpy(words + 3 * i, record, sizeof record);
        strobe_item_order_add(&order, &key, 3 * i);
        g_assert_cmpint(strobe_item_order_is_near(&order), ==,
                        order.n_stretches < STROBE_STRETCHES_MAX);
    }
    g_assert_cmpuint(order.n_stretches, ==, STROBE_STRETCHES_MAX);
    strobe_item_order_clear(&order);
}

/* Adds records until the sorter has no room; their number. */
static guint add_until_full(const char *folder, GError **error)
{
    StrobeRecordSorter *sorter = strobe_record_sorter_new(folder, 0, ends);
    guint64 *words;
    guint i = 0;

    for (; i < 100000 && (words = strobe_record_sorter_add(sorter, 0, 0, 8, error)); i++) {
        words[0] = head_of(i, 8);
        words[1] = words[2] = 0;
        for (guint word = 3; word < 8; word++)
            words[word] = (guint64)g_random_int() << 32 | g_random_int(); /* does not pack */
    }
    strobe_record_sorter_free(sorter);
    return i;
}

static void test_no_folder(void)
{
    g_autoptr(GError) error = NULL;

    g_assert_cmpuint(add_until_full("/dev/null/none", &error), >, 100);
    g_assert_error(error, STROBE_ERROR, STROBE_ERROR_IO);
    g_assert_nonnull(strstr(error->message, "/dev/null/none: "));
}

/* The folder is named: it is what has to be another one. */
static void test_full_disk(void)
{
    const struct rlimit little = {1 << 20, RLIM_INFINITY};
    g_autofree char *folder = g_dir_make_tmp("strobe-test-XXXXXX", NULL);
    g_autofree char *expected = g_strdup_printf("%s: %s", folder, g_strerror(EFBIG));
    g_autoptr(GError) error = NULL;
    struct rlimit before;

    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
    signal(SIGXFSZ, SIG_IGN);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &little), ==, 0);
    guint n = add_until_full(folder, &error);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
    g_assert_cmpuint(n, >, (1 << 20) / 64);
    g_assert_error(error, STROBE_ERROR, STROBE_ERROR_IO);
    g_assert_nonnull(strstr(error->message, expected));
    g_assert_cmpint(g_rmdir(folder), ==, 0);
}

/* Bytes of this process's nameless files in the folder. */
static guint64 nameless_bytes(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open("/proc/self/fd", 0, NULL);
    const char *name;
    guint64 bytes = 0;

    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename("/proc/self/fd", name, NULL);
        g_autofree char *target = g_file_read_link(path, NULL);
        struct stat st;

        if (target && g_str_has_prefix(target, folder) && !stat(path, &st))
            bytes += (guint64)st.st_size;
    }
    return bytes;
}

/* What an import of a trace adds: a kind and name, times, a track, a few numbers, some absent. */
static void fill_as_imported(guint64 *words, guint i, gint64 begin, gint64 end)
{
    words[0] = head_of(i % 500, 10);
    words[1] = (guint64)begin;
    words[2] = (guint64)end;
    words[3] = i % 3;
    words[4] = i;
    words[5] = i % 40 ? STROBE_ABSENT_U64 : i / 40;
    words[6] = (guint64)spread(i, 1000);
    words[7] = words[8] = STROBE_ABSENT_U64;
    words[9] = 0;
}

/* Behind the first four limits runs take less than half of what their records take; all come back
 * as they were. */
static void test_packed(void)
{
    const guint n = 200000, limit = 1 << 20;
    const gint64 epoch = 1700000000000000000;
    g_autofree char *folder = g_dir_make_tmp("strobe-test-XXXXXX", NULL);
    StrobeRecordSorter *sorter = strobe_record_sorter_new(folder, limit, ends);
    guint64 expected[10], bytes;
    const guint64 *record;
    gint64 last = 0;
    guint32 words;
    guint seen = 0;

    for (guint i = 0; i < n; i++) {
        gint64 begin = epoch + spread(i, n) * 1000, end = begin + 100 + i % 50;
        fill_as_imported(strobe_record_sorter_add(sorter, begin, end, 10, NULL), i, begin, end);
    }
    bytes = nameless_bytes(folder);
    g_test_message("%" G_GUINT64_FORMAT " bytes of %u", bytes, n * 80);
    g_assert_cmpuint(bytes, >, 4 * limit);
    g_assert_cmpuint(bytes, <, 4 * limit + (n * 80 - 4 * limit) / 2);
    for (; (record = strobe_record_sorter_next(sorter, &words, NULL)); seen++) {
        fill_as_imported(expected, (guint)record[4], (gint64)record[1], (gint64)record[2]);
        g_assert_cmpmem(record, words * 8, expected, sizeof expected);
        g_assert_cmpint((gint64)record[2], >=, last);
        g_assert_cmpint((gint64)record[1], ==, epoch + spread((guint)record[4], n) * 1000);
        last = (gint64)record[2];
    }
    g_assert_cmpuint(seen, ==, n);
    strobe_record_sorter_free(sorter);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
}

typedef struct Fixture {
    StrobeImportCapture *capture;
    char *path;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    f->capture = strobe_import_capture_new(NULL, 1 << 20);
    f->path = g_strdup_printf("%s/strobe-import-%d.strobe", g_get_tmp_dir(), getpid());
}

static void tear_down(Fixture *f, gconstpointer unused)
{
    strobe_import_capture_free(f->capture);
    unlink(f->path);
    g_free(f->path);
}

static StrobeReader *write_and_open(Fixture *f)
{
    g_autoptr(GError) error = NULL;
    int file = open(f->path, O_CREAT | O_EXCL | O_WRONLY, 0600);

    g_assert_cmpint(file, >=, 0);
    g_assert_true(strobe_import_capture_write(f->capture, file, "{\"generation\":1}", &error));
    StrobeReader *reader = strobe_reader_open(f->path, &error);
    g_assert_no_error(error);
    return reader;
}

static StrobeKindId declare(Fixture *f, const StrobeKind *kind)
{
    char error[256];
    StrobeKindId id = strobe_import_capture_kind(f->capture, kind, error, sizeof error);

    g_assert_cmpuint(id, >, 0);
    return id;
}

/* Fields that nobody fills in are absent; times and tracks come back as they were. */
static void test_absent(Fixture *f, gconstpointer unused)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_STREAM,
                               .device = 3,
                               .id = 7,
                               .name = "Stream 7",
                               .group = "Ascend Hardware"};
    StrobeTrackId id = strobe_import_capture_track(f->capture, &track, 4711);
    StrobeKindId kind = declare(f, &strobe_kind_device_task);
    struct strobe_device_task *task = strobe_import_capture_add(
        f->capture, kind, id, strobe_import_capture_intern(f->capture, "MatMul", 6, FALSE),
        1736412474759499801, 1736412474759499901, NULL);
    StrobeView view;

    g_assert_nonnull(task);
    task->stream = 7;
    g_assert_cmpuint(strobe_import_capture_track(f->capture, &track, 4711), ==, id);
    g_assert_cmpuint(strobe_import_capture_track(f->capture, &track, 4712), !=, id);
    StrobeReader *reader = write_and_open(f);
    g_assert_cmpuint(strobe_reader_next(reader, &view, 1, NULL), ==, 1);
    const struct strobe_device_task *read = view.fields;
    g_assert_cmpint(view.begin_ns, ==, 1736412474759499801);
    g_assert_cmpint(view.end_ns, ==, 1736412474759499901);
    g_assert_cmpstr(strobe_reader_string(reader, view.name).bytes, ==, "MatMul");
    g_assert_cmpuint(read->stream, ==, 7);
    g_assert_cmpuint(read->task_id, ==, STROBE_ABSENT_U32);
    g_assert_cmpuint(read->connection, ==, STROBE_ABSENT_U64);
    g_assert_true(read->exact_us != read->exact_us);
    g_assert_cmpuint(read->op_type, ==, 0);
    const StrobeTrackView *where = strobe_reader_track(reader, view.track);
    g_assert_cmpuint(where->pid, ==, 4711);
    g_assert_cmpint(where->device, ==, 3);
    g_assert_cmpstr(where->group, ==, "Ascend Hardware");
    g_assert_true(strobe_reader_stats(reader)->sealed);
    strobe_reader_free(reader);
}

/* More strings than a recorder has, stacks among them. */
static void test_many_strings(Fixture *f, gconstpointer unused)
{
    StrobeKindId kind = declare(f, &strobe_kind_cpu_op);
    StrobeView view;
    guint seen = 0;

    for (guint i = 0; i < 100000; i++) {
        g_autofree char *name = g_strdup_printf("op %u", i);
        StrobeStringId id = strobe_import_capture_intern(f->capture, name, strlen(name), FALSE);
        StrobeStringId frames[] = {id, 1};
        struct strobe_cpu_op *op = strobe_import_capture_add(f->capture, kind, 0, id, i, i, NULL);

        op->sequence = i;
        op->stack =
            strobe_import_capture_intern(f->capture, (const char *)frames, sizeof frames, TRUE);
    }
    StrobeReader *reader = write_and_open(f);
    for (; strobe_reader_next(reader, &view, 1, NULL); seen++) {
        const struct strobe_cpu_op *op = view.fields;
        g_autofree char *name = g_strdup_printf("op %u", seen);
        const StrobeStringId *frames;

        g_assert_cmpint(op->sequence, ==, seen);
        g_assert_cmpstr(strobe_reader_string(reader, view.name).bytes, ==, name);
        g_assert_cmpuint(strobe_reader_stack(reader, op->stack, &frames), ==, 2);
        g_assert_cmpuint(frames[0], ==, view.name);
    }
    g_assert_cmpuint(seen, ==, 100000);
    g_assert_cmpuint(strobe_import_capture_n_refused(f->capture), ==, 0);
    strobe_reader_free(reader);
}

/* Times that make no sense are bent and counted, the record stays. */
static void test_odd_times(Fixture *f, gconstpointer unused)
{
    static const gint64 times[][2] = {
        {G_MININT64, 5}, {10, 5}, {5, G_MAXINT64}, {G_MAXINT64, G_MAXINT64}, {1, 2}};
    StrobeKindId kind = declare(f, &strobe_kind_task_queue);
    StrobeView view;
    guint seen = 0;

    for (guint i = 0; i < G_N_ELEMENTS(times); i++)
        g_assert_nonnull(
            strobe_import_capture_add(f->capture, kind, 0, 1, times[i][0], times[i][1], NULL));
    g_assert_cmpuint(strobe_import_capture_n_bent(f->capture), ==, 4);
    StrobeReader *reader = write_and_open(f);
    for (; strobe_reader_next(reader, &view, 1, NULL); seen++)
        g_assert_cmpint(view.end_ns, >=, view.begin_ns);
    g_assert_cmpuint(seen, ==, G_N_ELEMENTS(times));
    strobe_reader_free(reader);
}

/* A kind that differs from the standard one is refused, one that adds a field is its own. */
static void test_kinds(Fixture *f, gconstpointer unused)
{
    StrobeField fields[] = {{"correlation", STROBE_FIELD_LINK, 0, "", "Id."},
                            {"is_dequeue", STROBE_FIELD_BOOL, 0, "", "Side."},
                            {"ascend.more", STROBE_FIELD_U32, 0, "", "More."}};
    StrobeKind more = strobe_kind_task_queue, other = strobe_kind_task_queue;
    StrobeKindId id = declare(f, &strobe_kind_task_queue);
    char error[256];

    more.fields = fields;
    more.n_fields = 3;
    g_assert_cmpuint(declare(f, &strobe_kind_task_queue), ==, id);
    g_assert_cmpuint(declare(f, &more), ==, id + 1);
    other.shape = STROBE_SHAPE_INSTANT;
    g_assert_cmpuint(strobe_import_capture_kind(f->capture, &other, error, sizeof error), ==, 0);
    g_assert_nonnull(strstr(error, "task_queue"));
    g_assert_null(strobe_import_capture_add(f->capture, id + 2, 0, 0, 0, 0, NULL));
}

#define ADD(name_, test_) g_test_add("/import/" name_, Fixture, NULL, set_up, test_, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/import/sorter", test_sorter);
    g_test_add_func("/import/sorter/last-stretch", test_last_stretch);
    g_test_add_func("/import/sorter/no-folder", test_no_folder);
    g_test_add_func("/import/sorter/full-disk", test_full_disk);
    g_test_add_func("/import/sorter/packed", test_packed);
    ADD("absent", test_absent);
    ADD("many-strings", test_many_strings);
    ADD("odd-times", test_odd_times);
    ADD("kinds", test_kinds);
    return g_test_run();
}
