/* SPDX-License-Identifier: Apache-2.0 */
/* Passes end side by side, and what comes of it is what one thread makes. */
#include "pass-ends.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include "made-capture.h"
#include "memory-limit.h"
#include "support.h"

#define PASSES 4u
#define RECORDS 60000u /* of 88 bytes, more pieces than may wait where memory is small */
#define EVERY 9973u    /* so many records, and a text is interned */
#define SMALL_MEMORY (16u << 20)
#define ALONE 2u       /* the pass that is looked at while its first piece is taken */
#define ALONE_TEXTS 3u /* what it interns in more than that piece */

/* What the passes did: of the texts what each interned, of the records what was handed on. */
typedef struct Log {
    StrobeStringId ids[PASSES][64];
    guint n_ids[PASSES];
    GArray *taken; /* of begin_ns of the records that were handed on */
} Log;

static Log *log_now;
static pthread_mutex_t interned_lock = PTHREAD_MUTEX_INITIALIZER; /* ThreadSanitizer sees it */
static pthread_cond_t interned = PTHREAD_COND_INITIALIZER;

typedef struct Pass {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    guint number;
    guint n_batch; /* derived records of others */
} Pass;

static void intern(Pass *pass, guint number)
{
    char text[64];

    g_snprintf(text, sizeof text, "text %u of %u", number, pass->number);
    StrobeStringId id = pass->host->intern(pass->self, text, strlen(text));
    pthread_mutex_lock(&interned_lock);
    log_now->ids[pass->number][log_now->n_ids[pass->number]++] = id;
    pthread_cond_broadcast(&interned);
    pthread_mutex_unlock(&interned_lock);
}

/* However long it takes; where it never comes, the test ends all the same. */
static gboolean await_texts(guint pass, guint n)
{
    struct timespec until;
    gboolean good = TRUE;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    pthread_mutex_lock(&interned_lock);
    while (good && log_now->n_ids[pass] < n)
        good = pthread_cond_timedwait(&interned, &interned_lock, &until) == 0;
    pthread_mutex_unlock(&interned_lock);
    return good;
}

static void emit(Pass *pass, guint from, guint n)
{
    for (guint i = from; i < from + n; i++) {
        guint64 *fields = pass->host->emit(pass->self, 0, 0, 0, pass->number * 1000000 + i, 0);

        g_assert_nonnull(fields);
        fields[0] = i;
        if (i % EVERY == EVERY - 1)
            intern(pass, i);
    }
}

static StrobeStatus pass_open(const StrobeConsumerHost *host, StrobeInstance *self, guint number,
                              void **state)
{
    Pass *pass = g_new0(Pass, 1);

    *pass = (Pass){host, self, number, 0};
    *state = pass;
    return STROBE_OK;
}

#define OPEN(n)                                                                                    \
    static StrobeStatus open_##n(const StrobeConsumerHost *host, StrobeInstance *self,             \
                                 void **state)                                                     \
    {                                                                                              \
        return pass_open(host, self, n, state);                                                    \
    }
OPEN(0)
OPEN(1)
OPEN(2)
OPEN(3)

static StrobeStatus pass_batch(void *state, const StrobeView *records, size_t n)
{
    Pass *pass = state;

    for (size_t i = 0; i < n; i++)
        if (++pass->n_batch % EVERY == 0)
            intern(pass, 500000 + pass->n_batch);
    return STROBE_OK;
}

static StrobeStatus pass_end(void *state)
{
    Pass *pass = state;

    emit(pass, 100, pass->number == 1 ? 50 : RECORDS);
    return STROBE_OK;
}

static StrobeStatus failing_end(void *state)
{
    Pass *pass = state;

    emit(pass, 100, RECORDS / 2);
    return STROBE_ERROR_FAILED;
}

static void pass_close(void *state)
{
    g_free(state);
}

#define OPS(n, end_)                                                                               \
    {.struct_size = sizeof(StrobeConsumerOps),                                                     \
     .open = open_##n,                                                                             \
     .batch = pass_batch,                                                                          \
     .end = end_,                                                                                  \
     .close = pass_close}
static const StrobeConsumerOps ops[PASSES] = {OPS(0, pass_end), OPS(1, pass_end), OPS(2, pass_end),
                                              OPS(3, pass_end)};
static const StrobeConsumerOps failing = OPS(2, failing_end);

static const StrobeField fields[] = {
    {"a", STROBE_FIELD_U64, 0, "", ""}, {"b", STROBE_FIELD_U64, 0, "", ""},
    {"c", STROBE_FIELD_U64, 0, "", ""}, {"d", STROBE_FIELD_U64, 0, "", ""},
    {"e", STROBE_FIELD_U64, 0, "", ""}, {"f", STROBE_FIELD_U64, 0, "", ""}};
#define KIND(name_)                                                                                \
    {.struct_size = sizeof(StrobeKind),                                                            \
     .shape = STROBE_SHAPE_SPAN,                                                                   \
     .name = name_,                                                                                \
     .summary = "",                                                                                \
     .fields = fields,                                                                             \
     .n_fields = G_N_ELEMENTS(fields)}
static const StrobeKind kinds[PASSES] = {KIND("k0"), KIND("k1"), KIND("k2"), KIND("k3")};
/* The last one wants what the first derives, and ends behind it; the others want nothing. */
static const char *const wants[PASSES][2] = {{"raw"}, {"raw"}, {"raw"}, {"k0"}};

/* One run: the consumers, and what gives the pieces to them. */
typedef struct Run {
    GPtrArray *passes;
    StrobeComponent components[PASSES];
    const StrobeKind *kinds[PASSES][1];
    guint now;
    const char *last; /* piece, which is valid until the next one is taken; NULL: none */
    gsize last_bytes;
    guint last_hash;
    gboolean is_looked_at; /* a pass goes on while what it derived is taken */
} Run;

static guint hash_of(const char *piece, gsize bytes)
{
    g_autoptr(GBytes) all = g_bytes_new_static(piece, bytes);

    return g_bytes_hash(all);
}

static void check_last(Run *run, const char *piece, gsize bytes)
{
    if (run->last)
        g_assert_cmpuint(hash_of(run->last, run->last_bytes), ==, run->last_hash);
    run->last = bytes ? piece : NULL;
    run->last_bytes = bytes;
    run->last_hash = bytes ? hash_of(piece, bytes) : 0;
}

static void feed(gpointer user, const char *piece, gsize bytes)
{
    Run *run = user;
    const StrobeConsumer *from = g_ptr_array_index(run->passes, run->now);
    static StrobeViewRuns runs;

    if (run->is_looked_at && run->now == ALONE)
        g_assert_true(await_texts(ALONE, ALONE_TEXTS));
    for (gsize at = 0; at < bytes;) {
        const struct StrobeSpooled *record = (const void *)(piece + at);
        const StrobeView view = {
            .kind = &from->kinds[0].view, .fields = record + 1, .begin_ns = record->begin_ns};

        g_array_append_val(log_now->taken, record->begin_ns);
        strobe_view_runs_find(&runs, &view, 1);
        for (guint i = 0; i < run->passes->len; i++)
            strobe_consumer_feed(g_ptr_array_index(run->passes, i), &runs);
        at += sizeof *record + record->field_bytes;
    }
    check_last(run, piece, bytes);
}

static void make_passes(Run *run, StrobeReader *reader, const StrobeFacts *facts,
                        gboolean has_failure)
{
    g_autoptr(GError) error = NULL;

    run->passes = g_ptr_array_new_with_free_func(strobe_consumer_free);
    for (guint i = 0; i < PASSES; i++) {
        run->kinds[i][0] = &kinds[i];
        run->components[i] = (StrobeComponent){.struct_size = sizeof(StrobeComponent),
                                               .type = STROBE_COMPONENT_PASS,
                                               .name = kinds[i].name,
                                               .ops = i == 2 && has_failure ? &failing : &ops[i],
                                               .wants = wants[i],
                                               .kinds = run->kinds[i],
                                               .n_kinds = 1};
        g_ptr_array_add(run->passes, strobe_consumer_new(&run->components[i], NULL, &error));
        g_assert_no_error(error);
        strobe_consumer_open(g_ptr_array_index(run->passes, i), reader, facts, NULL);
        /* what it derives while records come, too much for memory in the first */
        emit(((StrobeConsumer *)g_ptr_array_index(run->passes, i))->state, 0, i ? 10 : RECORDS);
    }
}

static void run_with(guint n_threads, gboolean has_failure, gboolean is_looked_at, Log *log)
{
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL);
    const StrobeFacts facts = {.struct_size = sizeof facts};
    g_autoptr(GError) error = NULL;
    Run run = {.is_looked_at = is_looked_at};

    log_now = log;
    log->taken = g_array_new(FALSE, FALSE, sizeof(gint64));
    made_capture_load(path, 100);
    StrobeReader *reader = strobe_reader_open(path, &error);
    g_assert_no_error(error);
    make_passes(&run, reader, &facts, has_failure);
    for (guint i = 1; i < PASSES; i++) /* nobody wants what these derive */
        ((StrobeConsumer *)g_ptr_array_index(run.passes, i))->interns_alone = TRUE;
    StrobePassEnds *ends = strobe_pass_ends_new(run.passes, n_threads);
    for (run.now = 0; run.now < PASSES; run.now++) {
        g_assert_null(run.last);
        StrobeConsumer *pass = g_ptr_array_index(run.passes, run.now);

        strobe_pass_ends_end(ends, run.now, feed, &run);
        g_assert_cmpint(pass->failure != NULL, ==, has_failure && run.now == 2);
        strobe_consumer_close(pass);
    }
    strobe_pass_ends_free(ends);
    g_ptr_array_unref(run.passes);
    strobe_reader_free(reader);
    scratch_remove(folder);
}

/* `n` of the expected records, whatever else is the same. */
static void check_same(const Log *found, const Log *expected)
{
    g_assert_cmpmem(found->taken->data, found->taken->len * sizeof(gint64), expected->taken->data,
                    expected->taken->len * sizeof(gint64));
    for (guint i = 0; i < PASSES; i++)
        g_assert_cmpmem(found->ids[i], found->n_ids[i] * sizeof **found->ids, expected->ids[i],
                        expected->n_ids[i] * sizeof **expected->ids);
}

static void test_same(gconstpointer has_failure)
{
    Log expected = {0};

    run_with(0, GPOINTER_TO_INT(has_failure), FALSE, &expected);
    g_assert_cmpuint(expected.taken->len, >, 3 * RECORDS);
    g_assert_cmpuint(expected.n_ids[0], ==, 12);
    g_assert_cmpuint(expected.n_ids[3], >, 12);
    for (guint n_threads = 1; n_threads < 8; n_threads++) {
        Log found = {0};

        strobe_memory_limit_set(n_threads < 4 ? SMALL_MEMORY : STROBE_MAX_MEM_DEFAULT, NULL);
        run_with(n_threads % 4 + (n_threads < 4), GPOINTER_TO_INT(has_failure), FALSE, &found);
        check_same(&found, &expected);
        g_array_unref(found.taken);
    }
    g_array_unref(expected.taken);
}

static void test_alone(void)
{
    Log expected = {0}, found = {0};

    strobe_memory_limit_set(STROBE_MAX_MEM_DEFAULT, NULL);
    run_with(0, FALSE, FALSE, &expected);
    run_with(2, FALSE, TRUE, &found);
    check_same(&found, &expected);
    g_array_unref(found.taken);
    g_array_unref(expected.taken);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/pass-ends/same", GINT_TO_POINTER(FALSE), test_same);
    g_test_add_data_func("/pass-ends/one-fails", GINT_TO_POINTER(TRUE), test_same);
    g_test_add_func("/pass-ends/interns-alone", test_alone);
    return g_test_run();
}
