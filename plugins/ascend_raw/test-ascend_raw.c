/* SPDX-License-Identifier: Apache-2.0 */
/* Tests parts of ascend_raw at limits that the tests with whole files do not reach. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../ascend_db/ascend-db-emit.h"
#include "ascend-raw-emit.h"
#include "open-marks.h"

/* Declared here, because the headers of ascend_text and of ascend_db have a type with the same
 * name. */
#define N_TEXT_KINDS 50u
extern const StrobeKind *const ascend_text_kinds[N_TEXT_KINDS];

static void test_open_marks(void)
{
    OpenMarks *marks = open_marks_new();
    gint64 time;

    for (guint i = 0; i < 5000; i++)
        g_assert_true(open_marks_put(marks, i % 100, i / 100, i));
    g_assert_true(open_marks_put(marks, 7, 3, -5));
    g_assert_true(open_marks_take(marks, 7, 3, &time));
    g_assert_cmpint(time, ==, -5);
    g_assert_false(open_marks_take(marks, 7, 3, &time));
    g_assert_true(open_marks_take(marks, 99, 49, &time));
    g_assert_cmpint(time, ==, 4999);
    g_assert_false(open_marks_take(marks, 100, 0, &time));
    open_marks_free(marks);
}

/* If the factor of the hash were constant, these thread ids would all have the same slot of the
 * table. */
static void test_open_marks_hostile(void)
{
    const guint n = 20000;
    OpenMarks *marks = open_marks_new();
    gint64 time;

    for (guint64 i = 0; i < n; i++)
        g_assert_true(open_marks_put(marks, i * 0xf1de83e19937733du, 0, (gint64)i));
    g_assert_cmpuint(open_marks_steps(marks), <, 8 * n);
    for (guint64 i = 0; i < n; i++) {
        g_assert_true(open_marks_take(marks, i * 0xf1de83e19937733du, 0, &time));
        g_assert_cmpint(time, ==, (gint64)i);
    }
    open_marks_free(marks);
}

/* A file may have any number of open marks; the table refuses more than OPEN_MARKS_MAX. */
static void test_open_marks_limit(void)
{
    OpenMarks *marks = open_marks_new();
    guint n = 0;

    while (n <= OPEN_MARKS_MAX && open_marks_put(marks, n, 0, n))
        n++;
    g_assert_cmpuint(n, ==, OPEN_MARKS_MAX);
    open_marks_free(marks);
}

/* ---- texts ---- */

#define LENGTHS 120u
#define VARIANTS 40u

#define STACK 1000000u /* difference between the id of a stack and that of its frame */

static GHashTable *interned; /* maps each interned text to its id */

static StrobeStringId intern_text(StrobeInstance *unused, const char *bytes, size_t length)
{
    char *text = g_strndup(bytes, length);
    gpointer id = g_hash_table_lookup(interned, text);

    (void)unused;
    if (!id) {
        id = GUINT_TO_POINTER(g_hash_table_size(interned) + 1);
        g_hash_table_insert(interned, g_strdup(text), id);
    }
    g_free(text);
    return GPOINTER_TO_UINT(id);
}

static StrobeStackId intern_stack(StrobeInstance *unused, const StrobeStringId *frames, size_t n)
{
    (void)unused;
    g_assert_cmpuint(n, ==, 1);
    return STACK + frames[0];
}

static TextCache *begin_texts(void)
{
    static const StrobeImporterHost host = {.intern = intern_text, .stack = intern_stack};

    interned = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return text_cache_new(&host, NULL);
}

static void end_texts(TextCache *cache)
{
    text_cache_free(cache);
    g_hash_table_unref(interned);
}

/* Makes a text of `length` letters 'a', one of which is replaced by 'z' (variant 0: the last one).
 * The bytes `behind` follow the text, but are not part of it. */
static gsize make_text(char *text, guint length, guint variant, char behind)
{
    memset(text, 'a', length);
    memset(text + length, behind, TEXT_CACHE_MARGIN);
    if (length)
        text[length - 1 - variant % length] = 'z';
    return length;
}

/* The cache returns the right id for texts and stacks of each length, longer or shorter than the
 * texts that an entry itself can have, whatever bytes follow the text. */
static void test_texts(void)
{
    TextCache *cache = begin_texts();
    char text[LENGTHS + TEXT_CACHE_MARGIN];

    for (guint round = 0; round < 2; round++)
        for (guint length = 0; length < LENGTHS; length++)
            for (guint variant = 0; variant < MIN(length + !length, VARIANTS); variant++) {
                gsize n = make_text(text, length, variant, round ? 'x' : 'y');
                guint32 id = intern_text(NULL, text, n);

                g_assert_cmpuint(text_cache_field(cache, text, n), ==, id);
                g_assert_cmpuint(text_cache_stack(cache, text, n), ==, STACK + id);
                g_assert_cmpuint(text_cache_string(cache, text, n), ==, id);
            }
    g_assert_cmpuint(text_cache_n_invalid(cache), ==, 0);
    g_assert_cmpuint(text_cache_invalid(cache), ==, 0);
    end_texts(cache);
}

static void test_invalid_texts(void)
{
    static const char text[TEXT_CACHE_MARGIN] = "\xff", good[TEXT_CACHE_MARGIN] = "good";
    TextCache *cache = begin_texts();
    guint32 id = text_cache_field(cache, text, 1);

    g_assert_cmpuint(id, ==, intern_text(NULL, TEXT_CACHE_INVALID, strlen(TEXT_CACHE_INVALID)));
    g_assert_cmpuint(text_cache_invalid(cache), ==, id);
    g_assert_cmpuint(text_cache_field(cache, text, 1), ==, id);
    g_assert_cmpuint(text_cache_field(cache, good, 4), !=, id);
    g_assert_cmpuint(text_cache_n_invalid(cache), ==, 2);
    end_texts(cache);
}

static void test_clock(void)
{
    RawClock clock = {.is_counter = TRUE, .start_count = 1000, .start_ns = 7, .offset = 100};

    raw_clock_set_frequency(&clock, 100);
    g_assert_cmpint(raw_clock_ns(&clock, 1003), ==, 137);
    g_assert_cmpint(raw_clock_ns(&clock, 997), ==, 77);
    raw_clock_set_frequency(&clock, 2599.998);
    /* 3 ticks are 1.15 ns, which is truncated */
    g_assert_cmpint(raw_clock_ns(&clock, 1003), ==, 108);
    g_assert_cmpint(raw_clock_ns(&clock, 997), ==, 106); /* rounded towards 0 */
    g_assert_cmpint(raw_clock_ns(&clock, G_MAXINT64), >, (gint64)1 << 61);
    g_assert_cmpint(raw_clock_ns(&clock, G_MININT64), <, 0);
    g_assert_cmpint(raw_clock_ns_unsigned(&clock, G_MAXUINT64), >, (gint64)1 << 61);
    clock = (RawClock){.offset = 5};
    g_assert_cmpint(raw_clock_ns(&clock, 6), ==, 11);
    g_assert_cmpint(raw_clock_ns(&clock, G_MAXINT64), ==, G_MAXINT64);
}

static void check_declared(const StrobeKind *const *kinds, guint n)
{
    for (guint i = 0; i < n; i++) {
        gboolean found = FALSE;

        for (guint k = 0; k < ASCEND_RAW_KINDS; k++)
            found |= !strcmp(ascend_raw_kinds[k]->name, kinds[i]->name);
        g_assert_true(found);
    }
}

/* The importer declares each kind that the readers of ascend_db and ascend_text emit. */
static void test_kinds(void)
{
    check_declared(ascend_db_kinds, ASCEND_DB_KINDS);
    check_declared(ascend_text_kinds, N_TEXT_KINDS);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ascend-raw/open-marks", test_open_marks);
    g_test_add_func("/ascend-raw/open-marks/hostile", test_open_marks_hostile);
    g_test_add_func("/ascend-raw/open-marks/limit", test_open_marks_limit);
    g_test_add_func("/ascend-raw/texts", test_texts);
    g_test_add_func("/ascend-raw/texts/invalid", test_invalid_texts);
    g_test_add_func("/ascend-raw/clock", test_clock);
    g_test_add_func("/ascend-raw/kinds", test_kinds);
    return g_test_run();
}
