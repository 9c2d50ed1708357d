/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that several threads compose are the bytes of one. */
#include "test-fixture.h"

#define TURNS 4000u
#define LONG_TEXT 300000u

static const char *const files[] = {"operator_details.csv", "vendor.task.csv",
                                    "kernel_details.csv"};
static StrobeStringId metrics[2]; /* the host of the test has a new id for each call */
static guint n_dealt;             /* times that threads were given pieces */

static const StrobeField fields[] = {
    {"size", STROBE_FIELD_U64, 0, "B", ""},
    {"what", STROBE_FIELD_STRING, 0, "", ""},
};

struct vendor {
    uint64_t size;
    uint32_t what;
};

static const StrobeKind vendor = {
    sizeof(StrobeKind), STROBE_SHAPE_SPAN, "vendor.task", "", fields, 2, 0};

static StrobeStringId text_of(Fixture *f, const char *what, guint i)
{
    g_autofree char *text = g_strdup_printf("%s, \"%u\"", what, i);

    return strobe_mock_string(f->mock, text);
}

/* Rows that are put in order, rows as they come, and columns that are told by the records. */
static void add_turn(Fixture *f, StrobeStringId long_text, guint i)
{
    const gint64 t = T0 + (gint64)(i * 7919 % TURNS) * 1000;
    const struct strobe_operator_detail detail = {
        .host_total = i, .host_self = i / 2, .shapes = text_of(f, "shape", i % 50)};
    const struct vendor task = {i, i % 700 == 77 ? long_text : text_of(f, "what", i % 90)};
    struct strobe_kernel_detail kernel = {0};

    strobe_mock_add(f->mock, &strobe_kind_operator_detail, f->thread, text_of(f, "op", i % 40), t,
                    t + 500, &detail);
    strobe_mock_add(f->mock, &vendor, f->thread, text_of(f, "t", i), t, t + 9, &task);
    kernel.metrics = i % 3 ? metrics[i / 500 % 2] : 0;
    kernel.value[0] = i;
    kernel.value[1] = 0.5 * i;
    strobe_mock_add(f->mock, &strobe_kind_kernel_detail, f->thread, text_of(f, "k", i % 30), t,
                    t + 11, &kernel);
}

/* Pieces by threads of their own, all of them at once. */
typedef struct Call {
    void (*piece)(void *user, uint32_t i);
    void *user;
    guint index;
} Call;

static gpointer call_piece(gpointer data)
{
    const Call *call = data;

    call->piece(call->user, call->index);
    return NULL;
}

static void by_threads(StrobeInstance *self, uint32_t n, void (*piece)(void *user, uint32_t i),
                       void *user)
{
    g_autofree Call *all = g_new(Call, n);
    g_autofree GThread **started = g_new(GThread *, n);

    n_dealt++;
    for (guint i = 0; i < n; i++) {
        all[i] = (Call){piece, user, i};
        started[i] = g_thread_new("piece", call_piece, &all[i]);
    }
    for (guint i = 0; i < n; i++)
        g_thread_join(started[i]);
}

/* The files one behind the other, of batches of many sizes. */
static char *made(guint n_threads, gboolean has_threads)
{
    GString *all = g_string_new(NULL);
    Fixture f;

    set_up(&f, NULL);
    strobe_mock_facts(f.mock)->n_threads = n_threads;
    if (has_threads)
        ((StrobeConsumerHost *)(gpointer)strobe_mock_table(f.mock))->side_by_side = by_threads;
    g_autofree char *text = g_strnfill(LONG_TEXT, 'x');
    const StrobeStringId long_text = strobe_mock_string(f.mock, text);
    metrics[0] = strobe_mock_string(f.mock, "aic_mac_ratio;aiv_time");
    metrics[1] = strobe_mock_string(f.mock, "aic_mac_ratio");
    g_assert_cmpint(strobe_mock_open(f.mock), ==, STROBE_OK);
    for (guint i = 0; i < TURNS; i++) {
        add_turn(&f, long_text, i);
        if (i % 900 == 0 || i % 900 == 1 || i % 900 == 80)
            g_assert_cmpint(strobe_mock_send(f.mock), ==, STROBE_OK);
    }
    g_assert_cmpint(strobe_mock_send(f.mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_end(f.mock), ==, STROBE_OK);
    strobe_mock_close(f.mock);
    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(f.folder, files[i], NULL);
        g_autofree char *bytes = NULL;

        g_assert_true(g_file_get_contents(path, &bytes, NULL, NULL));
        g_string_append(all, bytes);
    }
    tear_down(&f, NULL);
    return g_string_free(all, FALSE);
}

/* Else pieces come one after the other, the last one first. */
static void test_same(gconstpointer has_threads)
{
    n_dealt = 0;
    g_autofree char *expected = made(1, FALSE);
    g_autofree char *found = made(has_threads ? 9 : 2, has_threads != NULL);

    g_assert_cmpuint(strlen(expected), >, 1500000);
    g_assert_true(g_str_equal(found, expected));
    g_assert_true((n_dealt > 1) == (has_threads != NULL));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/csv-pieces/last-first", NULL, test_same);
    g_test_add_data_func("/csv-pieces/at-once", GUINT_TO_POINTER(1), test_same);
    return g_test_run();
}
