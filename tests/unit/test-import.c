/* SPDX-License-Identifier: Apache-2.0 */
/* Tests captures that are made from finished records: order, absent fields, many strings, unusual
 * times. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <strobe/kinds.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "error.h"
#include "import-capture.h"
#include "import-capture-parts.h"
#include "reader.h"

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

static StrobeKindId declare_kind(Fixture *f, const StrobeKind *kind)
{
    char error[256];
    StrobeKindId id = strobe_import_capture_kind(f->capture, kind, error, sizeof error);

    g_assert_cmpuint(id, >, 0);
    return id;
}

/* Fields without a value are absent. Times and tracks are not changed. */
static void test_absent(Fixture *f, gconstpointer unused)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_STREAM,
                               .device = 3,
                               .id = 7,
                               .name = "Stream 7",
                               .group = "Ascend Hardware"};
    StrobeTrackId id = strobe_import_capture_track(f->capture, &track, 4711);
    StrobeKindId kind = declare_kind(f, &strobe_kind_device_task);
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

/* More strings than a recorder can have, including stacks. */
static void test_many_strings(Fixture *f, gconstpointer unused)
{
    StrobeKindId kind = declare_kind(f, &strobe_kind_cpu_op);
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

/* Impossible times are corrected and counted, and the record is kept. */
static void test_odd_times(Fixture *f, gconstpointer unused)
{
    static const gint64 times[][2] = {
        {G_MININT64, 5}, {10, 5}, {5, G_MAXINT64}, {G_MAXINT64, G_MAXINT64}, {1, 2}};
    StrobeKindId kind = declare_kind(f, &strobe_kind_task_queue);
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

/* A kind that differs from the standard kind with its name is refused. A kind with an additional
 * field is a separate kind. */
static void test_kinds(Fixture *f, gconstpointer unused)
{
    StrobeField fields[] = {{"correlation", STROBE_FIELD_LINK, 0, "", "Id."},
                            {"is_dequeue", STROBE_FIELD_BOOL, 0, "", "Side."},
                            {"ascend.more", STROBE_FIELD_U32, 0, "", "More."}};
    StrobeKind more = strobe_kind_task_queue, other = strobe_kind_task_queue;
    StrobeKindId id = declare_kind(f, &strobe_kind_task_queue);
    char error[256];

    more.fields = fields;
    more.n_fields = 3;
    g_assert_cmpuint(declare_kind(f, &strobe_kind_task_queue), ==, id);
    g_assert_cmpuint(declare_kind(f, &more), ==, id + 1);
    other.shape = STROBE_SHAPE_INSTANT;
    g_assert_cmpuint(strobe_import_capture_kind(f->capture, &other, error, sizeof error), ==, 0);
    g_assert_nonnull(strstr(error, "task_queue"));
    g_assert_null(strobe_import_capture_add(f->capture, id + 2, 0, 0, 0, 0, NULL));
}

/* Adds spans whose begins and ends have no order, and are sometimes equal. */
static void add_shuffled(StrobeImportCapture *capture, StrobeKindId kind, guint n, GError **error)
{
    gboolean good = TRUE;

    for (guint i = 0; i < n && good; i++) {
        const gint64 begin = i * 2654435761u % 1000, end = 1000 + i * 40503u % 3000;
        struct strobe_cpu_op *op =
            strobe_import_capture_add(capture, kind, 0, 1, begin, end, error);

        good = op != NULL;
        if (op)
            op->sequence = i;
    }
}

/* Records are sorted by their ends, inner spans first. Records with equal times keep their order,
 * whether they come from memory or from runs in files. */
static void test_order(Fixture *f, gconstpointer data)
{
    const StrobeKindId kind = declare_kind(f, &strobe_kind_cpu_op);
    const guint n = 30000;
    StrobeView view, last = {0};
    gint64 last_number = -1;

    f->capture->storage->sorter_bytes = GPOINTER_TO_UINT(data);
    f->capture->storage->log_bytes = 0;
    add_shuffled(f->capture, kind, n, NULL);
    StrobeReader *reader = write_and_open(f);
    for (guint i = 0; i < n; i++, last = view) {
        g_assert_cmpuint(strobe_reader_next(reader, &view, 1, NULL), ==, 1);
        const gint64 number = ((const struct strobe_cpu_op *)view.fields)->sequence;

        g_assert_cmpint(view.end_ns, >=, last.end_ns);
        if (view.end_ns == last.end_ns) {
            g_assert_cmpint(view.begin_ns, <=, last.begin_ns);
            g_assert_true(view.begin_ns < last.begin_ns || number > last_number);
        }
        last_number = number;
    }
    strobe_reader_free(reader);
}

static void fill_up(const char *folder, GError **error)
{
    StrobeImportCapture *capture = strobe_import_capture_new(folder, 0);
    char text[256];

    capture->storage->log_bytes = 0;
    add_shuffled(capture,
                 strobe_import_capture_kind(capture, &strobe_kind_cpu_op, text, sizeof text),
                 1000000, error);
    strobe_import_capture_free(capture);
}

static void test_no_folder(void)
{
    g_autoptr(GError) error = NULL;

    fill_up("/dev/null/none", &error);
    g_assert_error(error, STROBE_ERROR, STROBE_ERROR_IO);
    g_assert_nonnull(strstr(error->message, "/dev/null/none: "));
}

/* The message names the folder, because the user must choose another one. */
static void test_full_disk(void)
{
    const struct rlimit little = {1 << 18, RLIM_INFINITY};
    g_autofree char *folder = g_dir_make_tmp("strobe-test-XXXXXX", NULL);
    g_autofree char *expected = g_strdup_printf("%s: %s", folder, g_strerror(EFBIG));
    g_autoptr(GError) error = NULL;
    struct rlimit before;

    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
    signal(SIGXFSZ, SIG_IGN);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &little), ==, 0);
    fill_up(folder, &error);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
    g_assert_error(error, STROBE_ERROR, STROBE_ERROR_IO);
    g_assert_nonnull(strstr(error->message, expected));
    g_assert_cmpint(g_rmdir(folder), ==, 0);
}

#define ADD(name_, test_) g_test_add("/import/" name_, Fixture, NULL, set_up, test_, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/import/order/memory", Fixture, GUINT_TO_POINTER(1u << 30), set_up, test_order,
               tear_down);
    g_test_add("/import/order/runs", Fixture, GUINT_TO_POINTER(100000u), set_up, test_order,
               tear_down);
    g_test_add_func("/import/no-folder", test_no_folder);
    g_test_add_func("/import/full-disk", test_full_disk);
    ADD("absent", test_absent);
    ADD("many-strings", test_many_strings);
    ADD("odd-times", test_odd_times);
    ADD("kinds", test_kinds);
    return g_test_run();
}
