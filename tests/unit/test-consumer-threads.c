/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which records each consumer gets, independently of the order in which its threads run. */
#include "consumer-threads.h"

#include <pthread.h>
#include <string.h>
#include "made-capture.h"
#include "memory-shares.h"
#include "support.h"

#define RAW 20000u /* number of records of the capture, several batches */
/* number of records of each kind of a pass, more than a batch or a chunk has */
#define DERIVED 30000u
#define PASSES_MAX 100u
#define WAIT_SECONDS 20 /* time limit for an event that never comes if there is a fault */

/* The consumers of a test, and the faults that they must have. */
typedef struct Plan {
    guint n_passes;
    guint n_derived;
    gboolean is_chain; /* each pass wants the records that the previous one derives */
    /* the first pass ends only when the second has derived all its records */
    gboolean waits_behind;
    gint failing_pass;    /* the pass that fails at its end; -1: none */
    gboolean fails_early; /* an exporter fails in its first batch */
    gboolean is_unread;   /* the capture is truncated */
} Plan;

static const Plan *plan;
/* not a GMutex, because ThreadSanitizer knows only locks of pthread */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static guint n_ended; /* number of passes that have ended */

/* ---- passes ---- */

typedef struct Pass {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    guint number;
    guint n_raw, n_derived; /* numbers of records that the pass got */
} Pass;

static guint n_opened;

static StrobeStatus pass_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    Pass *pass = g_new0(Pass, 1);

    *pass = (Pass){.host = host, .self = self, .number = n_opened++};
    *state = pass;
    return STROBE_OK;
}

static StrobeStatus pass_batch(void *state, const StrobeView *records, size_t n)
{
    Pass *pass = state;

    for (size_t i = 0; i < n; i++) {
        g_assert_true(records[i].kind->derived || pass->n_derived == 0);
        pass->n_derived += records[i].kind->derived;
        pass->n_raw += !records[i].kind->derived;
    }
    return STROBE_OK;
}

static StrobeStringId intern_name(const Pass *pass, guint i)
{
    char text[64];

    g_snprintf(text, sizeof text, "name %u of %u", i % 1000, pass->number);
    return pass->host->intern(pass->self, text, strlen(text));
}

static void wait_for_second(void)
{
    struct timespec until;
    int error = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_SECONDS;
    pthread_mutex_lock(&lock);
    while (n_ended == 0 && !error)
        error = pthread_cond_timedwait(&changed, &lock, &until);
    pthread_mutex_unlock(&lock);
    g_assert_cmpint(error, ==, 0);
}

static StrobeStatus pass_end(void *state)
{
    Pass *pass = state;

    g_assert_cmpuint(pass->n_raw, >, 0);
    g_assert_cmpuint(pass->n_derived, ==, plan->is_chain && pass->number ? plan->n_derived : 0);
    if (plan->waits_behind && pass->number == 0)
        wait_for_second();
    for (guint i = 0; i < 2 * plan->n_derived; i++) {
        guint64 *fields = pass->host->emit(pass->self, i % 2, 0, intern_name(pass, i), i, i);

        g_assert_nonnull(fields);
        g_assert_cmpuint(*fields, ==, 0);
        *fields = pass->number;
        if (i % 3 == 0)
            pass->host->flag(pass->self, STROBE_VIEW_INCOMPLETE);
    }
    pthread_mutex_lock(&lock);
    n_ended++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return (gint)pass->number == plan->failing_pass ? STROBE_ERROR_FAILED : STROBE_OK;
}

static void close_it(void *state)
{
    g_free(state);
}

/* ---- an exporter ---- */

/* The records that an exporter got: `text` has a part for each successive run of derived records of
 * one pass, `hash` depends on the contents of all records. */
typedef struct Story {
    GString *text;
    guint64 hash;
    guint n; /* number of records in the last run */
    const StrobeKindView *last;
    gboolean has_ended, was_closed;
} Story;

static Story *opening;

typedef struct Exporter {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    Story *story;
} Exporter;

static StrobeStatus exporter_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                  void **state)
{
    Exporter *exporter = g_new0(Exporter, 1);

    *exporter = (Exporter){host, self, opening};
    *state = exporter;
    return STROBE_OK;
}

static void end_stretch(Story *story)
{
    if (story->last && story->last->derived)
        g_string_append_printf(story->text, " %u %s", story->n, story->last->name);
    story->n = 0;
}

static void take_record(const Exporter *exporter, const StrobeView *record)
{
    Story *story = exporter->story;
    const StrobeText text = exporter->host->string(exporter->self, record->name);

    /* the two kinds of a pass come in turn, and belong to the same run */
    if (!story->last || record->kind->derived != story->last->derived ||
        (record->kind->derived && strcmp(record->kind->name + 1, story->last->name + 1)))
        end_stretch(story);
    story->last = record->kind;
    story->n++;
    story->hash = story->hash * 31 + g_str_hash(text.bytes) + (guint64)record->begin_ns;
    if (record->kind->derived)
        story->hash += strobe_view_u64(record, 0) + record->flags;
}

static StrobeStatus exporter_batch(void *state, const StrobeView *records, size_t n)
{
    const Exporter *exporter = state;

    if (plan->fails_early)
        return STROBE_ERROR_FAILED;
    for (size_t i = 0; i < n; i++)
        take_record(exporter, &records[i]);
    return STROBE_OK;
}

static StrobeStatus exporter_end(void *state)
{
    Story *story = ((Exporter *)state)->story;

    end_stretch(story);
    story->has_ended = TRUE;
    return STROBE_OK;
}

static void exporter_close(void *state)
{
    ((Exporter *)state)->story->was_closed = TRUE;
    g_free(state);
}

/* ---- a run ---- */

static const StrobeConsumerOps pass_ops = {.struct_size = sizeof pass_ops,
                                           .open = pass_open,
                                           .batch = pass_batch,
                                           .end = pass_end,
                                           .close = close_it};
static const StrobeConsumerOps exporter_ops = {.struct_size = sizeof exporter_ops,
                                               .open = exporter_open,
                                               .batch = exporter_batch,
                                               .end = exporter_end,
                                               .close = exporter_close};
/* The batch function of a second consumer, which never fails. */
static StrobeStatus count_batch(void *state, const StrobeView *records, size_t n)
{
    for (size_t i = 0; i < n; i++)
        take_record(state, &records[i]);
    return STROBE_OK;
}
static const StrobeConsumerOps counting_ops = {.struct_size = sizeof counting_ops,
                                               .open = exporter_open,
                                               .batch = count_batch,
                                               .end = exporter_end,
                                               .close = exporter_close};

static const StrobeField fields[] = {{"number", STROBE_FIELD_U64, 0, "", ""}};

/* The two kinds of each pass, for example "a7" and "b7". */
typedef struct Declared {
    char names[2][8];
    StrobeKind kinds[2];
    const StrobeKind *list[2];
    const char *wants[3];
    StrobeComponent component;
} Declared;

typedef struct Run {
    Declared declared[PASSES_MAX];
    const char *wants[2 * PASSES_MAX + 2]; /* kinds that the exporters want */
    StrobeComponent exporters[2];
    GPtrArray *passes, *consumers;
    Story stories[2];
    StrobeMetadata metadata;
    StrobeStorage *storage;
    StrobeGaps *gaps;
} Run;

static void declare_pass(Run *run, guint i)
{
    Declared *d = &run->declared[i];

    for (guint k = 0; k < 2; k++) {
        g_snprintf(d->names[k], sizeof d->names[k], "%c%u", "ab"[k], i);
        d->kinds[k] = (StrobeKind){.struct_size = sizeof(StrobeKind),
                                   .shape = STROBE_SHAPE_SPAN,
                                   .name = d->names[k],
                                   .summary = "",
                                   .fields = fields,
                                   .n_fields = 1};
        d->list[k] = &d->kinds[k];
        run->wants[1 + 2 * i + k] = d->names[k];
    }
    d->wants[0] = "*";
    d->wants[1] = plan->is_chain && i ? run->declared[i - 1].names[0] : NULL;
    d->component = (StrobeComponent){.struct_size = sizeof(StrobeComponent),
                                     .type = STROBE_COMPONENT_PASS,
                                     .name = d->names[0],
                                     .ops = &pass_ops,
                                     .wants = d->wants,
                                     .kinds = d->list,
                                     .n_kinds = 2};
}

static void open_consumer(Run *run, GPtrArray *list, const StrobeComponent *component,
                          StrobeReader *reader)
{
    g_autoptr(GError) error = NULL;
    StrobeConsumer *consumer = strobe_consumer_new(component, NULL, &error);

    g_assert_no_error(error);
    strobe_consumer_open(consumer, reader, &run->metadata, run->storage);
    g_assert_true(consumer->is_open);
    g_ptr_array_add(list, consumer);
}

static void open_all(Run *run, StrobeReader *reader)
{
    static const char *const names[] = {"first", "second"};

    n_opened = n_ended = 0;
    run->passes = g_ptr_array_new_with_free_func(strobe_consumer_free);
    run->consumers = g_ptr_array_new_with_free_func(strobe_consumer_free);
    run->wants[0] = "*";
    for (guint i = 0; i < plan->n_passes; i++) {
        declare_pass(run, i);
        open_consumer(run, run->passes, &run->declared[i].component, reader);
    }
    for (guint i = 0; i < 2; i++) {
        run->exporters[i] = (StrobeComponent){.struct_size = sizeof(StrobeComponent),
                                              .type = STROBE_COMPONENT_EXPORTER,
                                              .name = names[i],
                                              .ops = i ? &counting_ops : &exporter_ops,
                                              .wants = run->wants};
        run->stories[i].text = g_string_new(NULL);
        opening = &run->stories[i];
        open_consumer(run, run->consumers, &run->exporters[i], reader);
    }
}

static void on_pass(gpointer user, double share)
{
    double *last = user;

    g_assert_cmpfloat(share, >, *last);
    *last = share;
}

static void read_all(StrobeReader *reader, StrobeConsumerThreads *threads)
{
    g_autoptr(GError) error = NULL;
    StrobeBatch *batch;
    guint64 n = 0;

    while ((batch = strobe_batch_read(reader, NULL, &n, &error))) {
        strobe_consumer_threads_push(threads, batch);
        strobe_batch_unref(batch);
    }
    g_assert_no_error(error);
    g_assert_cmpuint(n, ==, RAW);
}

static Run *run_plan(const Plan *wanted)
{
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL);
    Run *run = g_new0(Run, 1);
    double share = 0;

    plan = wanted;
    run->metadata.struct_size = sizeof run->metadata;
    run->storage = strobe_storage_new(NULL);
    run->storage->log_bytes = 100000; /* so little memory that record logs use files */
    run->gaps = strobe_gaps_new();
    made_capture_load(path, RAW);
    StrobeReader *reader = made_reader(path);
    strobe_reader_keep_strings(reader);
    open_all(run, reader);
    StrobeConsumerThreads *threads = strobe_consumer_threads_start(run->passes, run->consumers);
    read_all(reader, threads);
    strobe_consumer_threads_raw_end(threads, plan->is_unread ? NULL : &run->metadata, run->gaps);
    strobe_consumer_threads_join(threads, on_pass, &share);
    g_assert_cmpfloat(share, ==, plan->n_passes ? 1 : 0);
    for (guint i = 0; i < 2; i++)
        g_assert_true(run->stories[i].was_closed);
    strobe_reader_free(reader);
    scratch_remove(folder);
    return run;
}

static void run_free(Run *run)
{
    g_ptr_array_unref(run->passes);
    g_ptr_array_unref(run->consumers);
    for (guint i = 0; i < 2; i++)
        g_string_free(run->stories[i].text, TRUE);
    strobe_gaps_free(run->gaps);
    strobe_storage_free(run->storage);
    g_free(run);
}

static const StrobeConsumer *pass_of(const Run *run, guint i)
{
    return g_ptr_array_index(run->passes, i);
}

static void check_counts(const Run *run, guint n)
{
    for (guint i = 0; i < run->passes->len; i++)
        for (guint k = 0; k < 2; k++) {
            g_assert_cmpuint(pass_of(run, i)->counts[k].n, ==, n);
            g_assert_cmpuint(pass_of(run, i)->counts[k].n_incomplete, ==, n / 3);
        }
}

/* ---- tests ---- */

/* An exporter gets the records of one pass after those of the other, in the same order even if the
 * second pass has ended first. */
static void test_order(void)
{
    static const Plan waits = {2, DERIVED, .waits_behind = TRUE, .failing_pass = -1},
                      plain = {2, DERIVED, .failing_pass = -1};
    Run *run = run_plan(&waits), *other = run_plan(&plain);

    g_assert_cmpstr(run->stories[0].text->str, ==, " 60000 b0 60000 b1");
    for (guint i = 0; i < 2; i++) {
        g_assert_true(run->stories[i].has_ended);
        g_assert_cmpuint(run->stories[i].hash, ==, other->stories[0].hash);
    }
    check_counts(run, DERIVED);
    run_free(run);
    run_free(other);
}

static void test_chain(void)
{
    static const Plan chain = {5, DERIVED, .is_chain = TRUE, .failing_pass = -1};
    Run *run = run_plan(&chain);

    g_assert_cmpstr(run->stories[1].text->str, ==, " 60000 b0 60000 b1 60000 b2 60000 b3 60000 b4");
    check_counts(run, DERIVED);
    run_free(run);
}

/* Records of a pass that failed are not read, and an exporter that failed gets no more records. */
static void test_failures(void)
{
    static const Plan failing = {3, DERIVED, .failing_pass = 1, .fails_early = TRUE};
    Run *run = run_plan(&failing);

    g_assert_nonnull(pass_of(run, 1)->failure);
    g_assert_null(pass_of(run, 2)->failure);
    g_assert_nonnull(((StrobeConsumer *)run->consumers->pdata[0])->failure);
    g_assert_false(run->stories[0].has_ended);
    g_assert_true(run->stories[1].has_ended);
    g_assert_cmpstr(run->stories[1].text->str, ==, " 60000 b0 60000 b2");
    run_free(run);
}

/* If a capture cannot be read to its end, the function `end` of no consumer is called. */
static void test_unread(void)
{
    static const Plan unread = {2, DERIVED, .failing_pass = -1, .is_unread = TRUE};
    Run *run = run_plan(&unread);

    for (guint i = 0; i < 2; i++)
        g_assert_false(run->stories[i].has_ended);
    check_counts(run, 0);
    run_free(run);
}

/* Runs many passes, so that ThreadSanitizer may find races. */
static void test_many(void)
{
    static const Plan many = {PASSES_MAX, 300, .failing_pass = -1};
    Run *run = run_plan(&many);

    check_counts(run, 300);
    g_assert_cmpuint(run->stories[0].hash, ==, run->stories[1].hash);
    run_free(run);
}

/* Each consumer for which no thread can be started fails with its own message. */
static void test_no_thread(void)
{
    static const Plan two = {2, DERIVED, .failing_pass = -1};
    pthread_attr_t before, huge;

    g_assert_cmpint(pthread_getattr_default_np(&before), ==, 0);
    g_assert_cmpint(pthread_attr_init(&huge), ==, 0);
    g_assert_cmpint(pthread_attr_setstacksize(&huge, (size_t)1 << 47), ==, 0);
    g_assert_cmpint(pthread_setattr_default_np(&huge), ==, 0);
    Run *run = run_plan(&two);
    g_assert_cmpint(pthread_setattr_default_np(&before), ==, 0);
    for (guint i = 0; i < 2; i++) {
        g_assert_nonnull(strstr(pass_of(run, i)->failure->message, "cannot start"));
        g_assert_false(run->stories[i].has_ended);
    }
    run_free(run);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/consumer-threads/order", test_order);
    g_test_add_func("/consumer-threads/chain", test_chain);
    g_test_add_func("/consumer-threads/failures", test_failures);
    g_test_add_func("/consumer-threads/unread", test_unread);
    g_test_add_func("/consumer-threads/many", test_many);
    g_test_add_func("/consumer-threads/no-thread", test_no_thread);
    return g_test_run();
}
