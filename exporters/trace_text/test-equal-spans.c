/* SPDX-License-Identifier: Apache-2.0 */
/* Checks runs of spans with equal times, in one batch and in several. */
#include "equal-spans.h"

#include <string.h>
#include <strobe/record.h>

static const StrobeFieldView field = {.name = "n", .type = STROBE_FIELD_U32};
static const StrobeKindView span = {.fields = &field, .n_fields = 1, .shape = STROBE_SHAPE_SPAN};
static const StrobeKindView instant = {.fields = &field, .n_fields = 1};
static const StrobeKindView derived = {
    .fields = &field, .n_fields = 1, .shape = STROBE_SHAPE_SPAN, .derived = 1};

static void take_record(void *user, const StrobeView *record)
{
    guint64 letter; /* the size of a record's fields is a multiple of 8 */

    memcpy(&letter, record->fields, sizeof letter);
    g_string_append_c(user, (char)letter);
}

/* Adds spans and checks the order of the output. Each letter is a span. A digit before the letter
 * is the span's begin; without a digit the span has the begin of the previous one. */
static void check_order(const char *text, gsize batch, gboolean is_natural, const char *wanted)
{
    g_autoptr(GString) found = g_string_new(NULL);
    guint64 letters[16];
    StrobeView views[16];
    EqualSpans spans;
    gint64 begin = 0;
    gsize n = 0;

    for (; *text; text++) {
        if (g_ascii_isdigit(*text)) {
            begin = *text;
            continue;
        }
        letters[n] = (guint64)*text;
        views[n] = (StrobeView){.kind = *text == '!'   ? &instant
                                        : *text == '?' ? &derived
                                                       : &span,
                                .fields = &letters[n],
                                .begin_ns = begin,
                                .end_ns = begin};
        n++;
    }
    equal_spans_init(&spans, take_record, found, is_natural);
    for (gsize at = 0; at < n; at += batch) {
        gsize part = MIN(batch, n - at), left = equal_spans_take(&spans, views + at, part);

        equal_spans_hold(&spans, views + at + part - left, left);
        memset(letters + at, 0, part * sizeof *letters); /* the host reuses the memory of a batch */
    }
    equal_spans_flush(&spans);
    equal_spans_flush(&spans);
    equal_spans_clear(&spans);
    g_assert_cmpstr(found->str, ==, wanted);
}

static void test_runs(void)
{
    for (gsize batch = 1; batch <= 12; batch++) {
        check_order("1abc2d3ef", batch, FALSE, "cbadfe");
        check_order("1ab2c1de", batch, FALSE, "baced");
        check_order("1ab!cd", batch, FALSE, "ba!dc");
        check_order("1ab?c??", batch, FALSE, "ba?c??");
        check_order("1abc2d3ef", batch, TRUE, "abcdef");
        check_order("", batch, FALSE, "");
    }
}

/* A run that is too long is divided into several ones, wherever batches end. */
static void test_long_run(void)
{
    enum { N = 2 * EQUAL_SPANS_MAX + 3 };
    static const gsize batches[] = {1, 7, EQUAL_SPANS_MAX, N};
    g_autofree StrobeView *views = g_new0(StrobeView, N);

    for (guint b = 0; b < G_N_ELEMENTS(batches); b++) {
        g_autoptr(GString) found = g_string_new(NULL);
        g_autofree guint64 *letters = g_new(guint64, N);
        EqualSpans spans;

        for (guint i = 0; i < N; i++) {
            letters[i] = i % EQUAL_SPANS_MAX ? 'x' : 'a';
            views[i] = (StrobeView){.kind = &span, .fields = &letters[i]};
        }
        equal_spans_init(&spans, take_record, found, FALSE);
        for (gsize at = 0; at < N; at += batches[b]) {
            gsize part = MIN(batches[b], N - at), left = equal_spans_take(&spans, views + at, part);

            equal_spans_hold(&spans, views + at + part - left, left);
        }
        equal_spans_flush(&spans);
        equal_spans_clear(&spans);
        g_assert_cmpuint(found->len, ==, N);
        g_assert_cmpint(found->str[EQUAL_SPANS_MAX - 1], ==, 'a');
        g_assert_cmpint(found->str[2 * EQUAL_SPANS_MAX - 1], ==, 'a');
        g_assert_cmpint(found->str[N - 1], ==, 'a');
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/equal-spans/runs", test_runs);
    g_test_add_func("/equal-spans/long-run", test_long_run);
    return g_test_run();
}
