/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that several threads compose are the bytes of one. */
#include "test-fixture.h"

#define TURNS 4000u
#define AT_ONCE 500u
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

enum { DETAIL, TASK, KERNEL, N_KINDS };

static void add_record(Fixture *f, guint kind, StrobeStringId long_text, guint i, gint64 t)
{
    const struct strobe_operator_detail detail = {
        .host_total = i, .host_self = i / 2, .shapes = text_of(f, "shape", i % 50)};
    const struct vendor task = {i, i % 700 == 77 ? long_text : text_of(f, "what", i % 90)};
    struct strobe_kernel_detail kernel = {.metrics = i % 3 ? metrics[i / 500 % 2] : 0};

    kernel.value[0] = i;
    kernel.value[1] = 0.5 * i;
    if (kind == DETAIL)
        strobe_mock_add(f->mock, &strobe_kind_operator_detail, f->thread, text_of(f, "op", i % 40),
                        t, t + 500, &detail);
    else if (kind == TASK)
        strobe_mock_add(f->mock, &vendor, f->thread, text_of(f, "t", i), t, t + 9, &task);
    else
        strobe_mock_add(f->mock, &strobe_kind_kernel_detail, f->thread, text_of(f, "k", i % 30), t,
                        t + 11, &kernel);
}

/* Rows that are put in order, rows as they come, and columns that are told by the records. */
static void send_mixed(Fixture *f, StrobeStringId long_text)
{
    for (guint i = 0; i < TURNS; i++) {
        for (guint kind = 0; kind < N_KINDS; kind++)
            add_record(f, kind, long_text, i, T0 + (gint64)(i * 7919 % TURNS) * 1000);
        if (i % 900 == 0 || i % 900 == 1 || i % 900 == 80)
            g_assert_cmpint(strobe_mock_send(f->mock), ==, STROBE_OK);
    }
    g_assert_cmpint(strobe_mock_send(f->mock), ==, STROBE_OK);
}

/* The same, though many of a kind at once, which come in order for half of the time. */
static void send_apart(Fixture *f, StrobeStringId long_text)
{
    for (guint from = 0; from < TURNS; from += AT_ONCE)
        for (guint kind = 0; kind < N_KINDS; kind++) {
            for (guint i = from; i < from + AT_ONCE; i++)
                add_record(f, kind, long_text, i,
                           T0 + (gint64)(i < TURNS / 2 ? i : i * 7919 % TURNS) * 1000);
            g_assert_cmpint(strobe_mock_send(f->mock), ==, STROBE_OK);
        }
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

typedef void (*Send)(Fixture *f, StrobeStringId long_text);

/* The files one behind the other, of batches of many sizes. */
static char *made(Send send, guint n_threads, gboolean has_threads)
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
    send(&f, long_text);
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

typedef struct Case {
    Send send;
    guint n_threads;
    gboolean has_threads; /* else pieces come one after the other, the last one first */
} Case;

static void test_same(gconstpointer data)
{
    const Case *c = data;

    n_dealt = 0;
    g_autofree char *expected = made(c->send, 1, FALSE);
    g_autofree char *found = made(c->send, c->n_threads, c->has_threads);

    g_assert_cmpuint(strlen(expected), >, 1500000);
    g_assert_true(g_str_equal(found, expected));
    g_assert_true((n_dealt > 1) == (c->has_threads && c->n_threads > 2));
}

int main(int argc, char **argv)
{
    static const Case cases[] = {{send_mixed, 3, FALSE},
                                 {send_mixed, 9, TRUE},
                                 {send_mixed, 2, TRUE}, /* kinds that are recorded */
                                 {send_apart, 3, FALSE},
                                 {send_apart, 9, TRUE}};

    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/csv-pieces/last-first", &cases[0], test_same);
    g_test_add_data_func("/csv-pieces/at-once", &cases[1], test_same);
    g_test_add_data_func("/csv-pieces/of-two", &cases[2], test_same);
    g_test_add_data_func("/csv-pieces/blocks-last-first", &cases[3], test_same);
    g_test_add_data_func("/csv-pieces/blocks-at-once", &cases[4], test_same);
    return g_test_run();
}
