/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <glib.h>
#include <mock-storage.h>
#include <string.h>
#include <strobe/helpers/compression.h>
#include <strobe/helpers/record-log.h>
#include <sys/stat.h>
#include <unistd.h>

static int last_file; /* the last file that a storage of this test opened */

static int32_t open_known_file(StrobeStorage *storage)
{
    last_file = strobe_mock_storage(0, 0).open_file(storage);
    return last_file;
}

static int32_t open_no_file(StrobeStorage *storage)
{
    errno = ENOSPC;
    return -1;
}

static StrobeStorage make_storage(guint64 log_bytes)
{
    StrobeStorage storage = strobe_mock_storage(log_bytes, 0);

    last_file = -1;
    storage.open_file = open_known_file;
    return storage;
}

/* Returns lengths from 0 to more than a block. */
static gsize length_of(guint i)
{
    return i % 500 == 499 ? 200000 + i : i * 7919 % 150;
}

static void add_records(StrobeRecordLog *log, guint from, guint until)
{
    for (guint i = from; i < until; i++) {
        g_autofree char *bytes = g_strnfill(length_of(i), (char)('a' + i % 26));

        g_assert_cmpint(strobe_record_log_add(log, bytes, length_of(i)), ==, 0);
    }
}

static void check_record(StrobeRecordLogReader *reader, guint i)
{
    size_t length;
    const char *record = strobe_record_log_next(reader, &length);

    g_assert_nonnull(record);
    g_assert_cmpuint((guintptr)record % 8, ==, 0);
    g_assert_cmpuint(length, ==, length_of(i));
    for (gsize k = 0; k < length; k++)
        g_assert_cmpint(record[k], ==, 'a' + i % 26);
}

static void check_end(StrobeRecordLogReader *reader, int error)
{
    size_t length;

    g_assert_null(strobe_record_log_next(reader, &length));
    g_assert_null(strobe_record_log_next(reader, &length));
    g_assert_cmpint(strobe_record_log_reader_error(reader), ==, error);
    strobe_record_log_reader_free(reader);
}

/* Keeps the blocks in memory, in the file, and in both. */
static void test_bounds(void)
{
    static const guint64 bounds[] = {G_MAXINT32, 500000, 0};

    for (gsize k = 0; k < G_N_ELEMENTS(bounds); k++) {
        StrobeStorage storage = make_storage(bounds[k]);
        StrobeRecordLog *log = strobe_record_log_new(&storage);

        add_records(log, 0, 5000);
        g_assert_cmpuint(strobe_record_log_count(log), ==, 5000);
        for (guint times = 0; times < 2; times++) {
            StrobeRecordLogReader *reader = strobe_record_log_read(log);

            for (guint i = 0; i < 5000; i++)
                check_record(reader, i);
            check_end(reader, 0);
        }
        g_assert_cmpint(last_file >= 0, ==, bounds[k] < G_MAXINT32);
        g_assert_cmpuint(storage.used_bytes, <=, bounds[k]);
        strobe_record_log_free(log);
        g_assert_cmpuint(storage.used_bytes, ==, 0);
    }
}

static gpointer read_all(gpointer user)
{
    StrobeRecordLogReader *reader = user;

    for (guint i = 0; i < 3000; i++)
        check_record(reader, i);
    check_end(reader, 0);
    return NULL;
}

static void test_readers(void)
{
    StrobeStorage storage = make_storage(200000);
    StrobeRecordLog *log = strobe_record_log_new(&storage);
    GThread *threads[4];

    add_records(log, 0, 3000);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = g_thread_new("reader", read_all, strobe_record_log_read(log));
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
    strobe_record_log_free(log);
}

static void test_marks(void)
{
    StrobeStorage storage = make_storage(0);
    StrobeRecordLog *log = strobe_record_log_new(&storage);
    const gsize begin = strobe_record_log_mark(log);
    gsize middle, end;
    StrobeRecordLogReader *first, *second;

    add_records(log, 0, 40);
    middle = strobe_record_log_mark(log);
    add_records(log, 40, 90);
    end = strobe_record_log_mark(log);
    first = strobe_record_log_read_part(log, begin, middle);
    second = strobe_record_log_read_part(log, middle, end);
    for (guint i = 40; i < 90; i++)
        check_record(second, i);
    for (guint i = 0; i < 40; i++)
        check_record(first, i);
    check_end(first, 0);
    check_end(second, 0);
    strobe_record_log_free(log);
}

/* Fills in records after they were added. */
static void test_reserve(void)
{
    StrobeStorage storage = make_storage(0);
    StrobeRecordLog *log = strobe_record_log_new(&storage);
    StrobeRecordLogReader *reader;
    size_t length;

    for (guint64 i = 0; i < 20000; i++)
        *(guint64 *)strobe_record_log_reserve(log, sizeof i) = i;
    reader = strobe_record_log_read(log);
    for (guint64 i = 0; i < 20000; i++) {
        g_assert_cmpuint(*(guint64 *)strobe_record_log_next(reader, &length), ==, i);
        g_assert_cmpuint(length, ==, sizeof i);
    }
    check_end(reader, 0);
    strobe_record_log_free(log);
}

/* Writes random bytes, which cannot be compressed. */
static void test_random(void)
{
    StrobeStorage storage = make_storage(0);
    StrobeRecordLog *log = strobe_record_log_new(&storage);
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    g_autofree guint32 *words = g_new(guint32, 50000);
    StrobeRecordLogReader *reader;

    for (guint i = 0; i < 50000; i++) {
        words[i] = g_rand_int(random);
        strobe_record_log_add(log, &words[i], sizeof *words);
    }
    strobe_record_log_add(log, words, 50000 * sizeof *words);
    reader = strobe_record_log_read(log);
    for (guint i = 0; i <= 50000; i++) {
        size_t length;
        const guint32 *record = strobe_record_log_next(reader, &length);

        g_assert_cmpmem(record, length, &words[i % 50000], (i < 50000 ? 1 : i) * sizeof *words);
    }
    check_end(reader, 0);
    strobe_record_log_free(log);
}

static void test_compressed(void)
{
    StrobeStorage storage = make_storage(0);
    struct stat info;
    char bytes[20];

    if (!strobe_compression_exists()) {
        g_test_skip("built without libzstd");
        return;
    }
    StrobeRecordLog *log = strobe_record_log_new(&storage);
    add_records(log, 0, 5000);
    strobe_record_log_mark(log);
    g_assert_cmpint(fstat(last_file, &info), ==, 0);
    g_assert_cmpint(info.st_size, <, 300000); /* the records have 2.5 MB */

    memset(bytes, 'x', sizeof bytes); /* damage */
    g_assert_cmpint(pwrite(last_file, bytes, sizeof bytes, 0), ==, sizeof bytes);
    check_end(strobe_record_log_read(log), EIO);
    g_assert_cmpint(ftruncate(last_file, 10), ==, 0);
    check_end(strobe_record_log_read(log), EIO);
    strobe_record_log_free(log);
}

static void test_no_file(void)
{
    StrobeStorage storage = make_storage(100000);
    StrobeRecordLog *log = strobe_record_log_new(&storage);

    storage.open_file = open_no_file;
    while (strobe_record_log_add(log, "record", 6) == 0)
        ;
    g_assert_cmpint(strobe_record_log_error(log), ==, ENOSPC);
    g_assert_null(strobe_record_log_reserve(log, 1));
    check_end(strobe_record_log_read(log), ENOSPC);
    strobe_record_log_free(log);
}

static void test_empty(void)
{
    StrobeStorage storage = make_storage(0);
    StrobeRecordLog *log = strobe_record_log_new(&storage);

    check_end(strobe_record_log_read(log), 0);
    strobe_record_log_free(log);
    strobe_record_log_free(NULL);
    g_assert_cmpint(strobe_record_log_add(NULL, "", 0), ==, ENOMEM);
    check_end(strobe_record_log_read(NULL), ENOMEM);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/record-log/bounds", test_bounds);
    g_test_add_func("/record-log/readers", test_readers);
    g_test_add_func("/record-log/marks", test_marks);
    g_test_add_func("/record-log/reserve", test_reserve);
    g_test_add_func("/record-log/random", test_random);
    g_test_add_func("/record-log/compressed", test_compressed);
    g_test_add_func("/record-log/no-file", test_no_file);
    g_test_add_func("/record-log/empty", test_empty);
    return g_test_run();
}
