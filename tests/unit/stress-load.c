/* SPDX-License-Identifier: Apache-2.0 */
#include "stress-load.h"

#include <string.h>
#include <strobe/kinds.h>
#include <strobe/strobe.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "kind-table.h"
#include "thread-buffer.h"
#include "async-span.h"

#define DEPTH_MAX 40
#define DEEP 1100 /* number of nested ranges, more than can be open */
#define BULK_MAX 60

struct stress_loss_report stress_loss_report;

static const StrobeField item_fields[] = {{"number", STROBE_FIELD_U64, 0, "", "Counts up."}};

const StrobeKind stress_item = {.struct_size = sizeof stress_item,
                                .shape = STROBE_SHAPE_INSTANT,
                                .name = "stress.item",
                                .summary = "For tests.",
                                .fields = item_fields,
                                .n_fields = 1};

struct worker {
    /* a number that is odd while the thread is between reading the window and counting its
     * records */
    guint64 *in_offer;
    guint64 random;
    guint number; /* number of the thread */
    guint64 next[STRESS_RANGE];
    guint64 next_range;
    /* the open ranges at every second depth; at the other depths the spans have their arguments as
     * keys */
    StrobeRange open[DEPTH_MAX];
    guint64 arguments[DEPTH_MAX];
    guint depth;
};

#define STRESS_PARENTS_MAX 64u

static guint64 in_offer[STRESS_PARENTS_MAX];
/* async: keys of open async spans; last_async: the key that was assigned last */
static guint64 async[64], last_async;
static gint is_over;
static guint32 item_kind;
static GPtrArray *threads;
static __thread struct worker *mine;

guint64 stress_random(guint64 *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * G_GUINT64_CONSTANT(0x2545f4914f6cdd1d);
}

guint stress_below(guint64 *state, guint n)
{
    return (guint)((stress_random(state) >> 32) % n);
}

void stress_set_item(StrobeKindId kind)
{
    __atomic_store_n(&item_kind, kind, __ATOMIC_RELEASE);
}

/* ---- the loss report ---- */

static guint32 window_now(void)
{
    return __atomic_load_n(&strobe_gate, __ATOMIC_SEQ_CST);
}

struct offer {
    gboolean is_outer; /* the thread is not in a handler that interrupts another one */
    guint32 window;
};

static struct offer begin_offer(struct worker *w)
{
    struct offer offer = {(__atomic_load_n(w->in_offer, __ATOMIC_RELAXED) & 1) == 0, 0};

    if (offer.is_outer)
        __atomic_add_fetch(w->in_offer, 1, __ATOMIC_SEQ_CST);
    offer.window = window_now();
    return offer;
}

/* Counts `n` records that were offered after begin_offer() has read the window. */
static void end_offer(struct worker *w, struct offer offer, guint n)
{
    guint32 after = window_now();

    if (offer.window == after)
        __atomic_add_fetch(&stress_loss_report.least[after], n, __ATOMIC_RELAXED);
    else
        __atomic_add_fetch(&stress_loss_report.most[after], n, __ATOMIC_RELAXED);
    __atomic_add_fetch(&stress_loss_report.most[offer.window], n, __ATOMIC_RELAXED);
    if (offer.is_outer)
        __atomic_add_fetch(w->in_offer, 1, __ATOMIC_RELEASE);
}

void stress_settle(void)
{
    for (guint i = 0; i < STRESS_PARENTS_MAX; i++) {
        guint64 seen = __atomic_load_n(&in_offer[i], __ATOMIC_ACQUIRE);
        while ((seen & 1) && __atomic_load_n(&in_offer[i], __ATOMIC_ACQUIRE) == seen)
            g_usleep(100);
    }
}

/* ---- what a worker does ---- */

static void do_mark(struct worker *w)
{
    char name[24];
    struct offer offer = begin_offer(w);

    g_snprintf(name, sizeof name, "m%u", w->number);
    strobe_mark_recorded(name, w->next[STRESS_MARK]++);
    end_offer(w, offer, 1);
}

static void do_unique(struct worker *w)
{
    char name[40];
    struct offer offer = begin_offer(w);
    guint64 number = w->next[STRESS_UNIQUE]++;

    g_snprintf(name, sizeof name, "u%u.%" G_GUINT64_FORMAT, w->number, number);
    strobe_mark_recorded(name, number);
    end_offer(w, offer, 1);
}

static void do_counter(struct worker *w)
{
    char name[24];
    struct offer offer = begin_offer(w);

    g_snprintf(name, sizeof name, "c%u", w->number);
    strobe_counter_recorded(name, (double)w->next[STRESS_COUNTER]++);
    end_offer(w, offer, 1);
}

static guint32 name_of(const struct worker *w, StrobeWriter *writer, char letter)
{
    char name[24];
    int n = g_snprintf(name, sizeof name, "%c%u", letter, w->number);
    return strobe_thread_buffer_intern(writer, name, (gsize)n, 0);
}

static void do_item(struct worker *w)
{
    guint32 kind = __atomic_load_n(&item_kind, __ATOMIC_ACQUIRE);
    struct offer offer;
    StrobeWriter *writer;

    if (!kind)
        return;
    offer = begin_offer(w);
    writer = strobe_thread_buffer_writer();
    if (writer) {
        guint32 name = name_of(w, writer, 'i');
        guint64 *fields =
            strobe_thread_buffer_reserve(writer, kind, 0, name, strobe_clock_now(), 0);
        if (fields) {
            *fields = w->next[STRESS_ITEM]++;
            strobe_thread_buffer_commit(writer);
        }
    }
    end_offer(w, offer, 1);
}

/* Records many finished records at once. If they are refused, one record counts as lost. */
static void do_bulk(struct worker *w)
{
    guint32 kind = __atomic_load_n(&item_kind, __ATOMIC_ACQUIRE);
    struct offer offer;
    guint n = 1 + stress_below(&w->random, BULK_MAX);
    StrobeWriter *writer;
    guint64 *out = NULL;

    if (!kind)
        return;
    offer = begin_offer(w);
    writer = strobe_thread_buffer_writer();
    if (writer) {
        guint32 name = name_of(w, writer, 'b');
        out = strobe_thread_buffer_reserve_bulk(writer, n * 24, n);
        for (guint i = 0; out && i < n; i++) {
            *out++ = (guint64)name << 32 | (guint64)kind << 16 | 3;
            *out++ = strobe_clock_now();
            *out++ = w->next[STRESS_BULK]++;
        }
        if (out)
            strobe_thread_buffer_commit(writer);
    }
    end_offer(w, offer, writer ? n : 1);
}

static void begin_range(struct worker *w)
{
    char name[40];
    struct offer offer = begin_offer(w);

    g_snprintf(name, sizeof name, "r%u.%u", w->number, w->depth);
    guint64 argument = w->arguments[w->depth] = w->next_range++;
    if (w->depth % 2)
        strobe_thread_buffer_span_open(NULL, argument + 1, STROBE_KIND_ID_MARKER, name, argument);
    else
        w->open[w->depth] = strobe_range_begin_recorded(name, argument);
    w->depth++;
    end_offer(w, offer, 1);
}

static void end_range(struct worker *w)
{
    guint depth = --w->depth;
    const struct strobe_marker fields = {w->arguments[depth]};

    if (depth % 2)
        strobe_thread_buffer_span_close(NULL, fields.argument + 1, STROBE_KIND_ID_MARKER, &fields,
                                        sizeof fields);
    else
        strobe_range_end(w->open[depth]);
}

static void do_range(struct worker *w)
{
    if (w->depth == DEPTH_MAX || (w->depth && stress_below(&w->random, 2)))
        end_range(w);
    else
        begin_range(w);
}

/* Spans that any thread ends, in any order, even after their own thread has ended. */
static void do_async(struct worker *w)
{
    guint64 *place = &async[stress_below(&w->random, G_N_ELEMENTS(async))];
    const struct strobe_marker fields = {__atomic_exchange_n(place, 0, __ATOMIC_SEQ_CST)};
    char name[24];

    if (fields.argument) {
        strobe_thread_buffer_async_close(NULL, fields.argument, STROBE_KIND_ID_MARKER, &fields,
                                         sizeof fields);
        return;
    }
    struct offer offer = begin_offer(w);
    guint64 key = __atomic_add_fetch(&last_async, 1, __ATOMIC_RELAXED);
    g_snprintf(name, sizeof name, "l%u", w->number);
    strobe_thread_buffer_async_open(NULL, key, STROBE_KIND_ID_MARKER, name, key);
    end_offer(w, offer, 1);
    __atomic_store_n(place, key, __ATOMIC_SEQ_CST);
}

/* Records ranges that are nested beyond all limits. Their names are those of the depth above. */
static void do_deep(struct worker *w)
{
    StrobeRange ranges[DEEP];
    char name[40];
    guint n = stress_below(&w->random, DEEP);

    if (w->depth || stress_below(&w->random, 50))
        return;
    for (guint i = 0; i < n; i++) {
        struct offer offer = begin_offer(w);
        g_snprintf(name, sizeof name, "r%u.%u", w->number, i);
        ranges[i] = strobe_range_begin_recorded(name, w->next_range++);
        end_offer(w, offer, 1);
    }
    while (n--)
        strobe_range_end(ranges[n]);
}

static void pause_a_little(struct worker *w)
{
    g_usleep(stress_below(&w->random, 8) ? 1 + stress_below(&w->random, 200)
                                         : stress_below(&w->random, 3000));
}

static void run_burst(struct worker *w)
{
    static void (*const acts[])(struct worker *) = {do_mark,  do_mark, do_unique, do_counter,
                                                    do_item,  do_bulk, do_range,  do_range,
                                                    do_range, do_deep, do_async,  do_async};
    guint n = 1 + stress_below(&w->random, stress_below(&w->random, 8) ? 40 : 1000);

    for (guint i = 0; i < n; i++)
        acts[stress_below(&w->random, G_N_ELEMENTS(acts))](w);
}

/* ---- signals ---- */

void stress_record_in_handler(void)
{
    struct worker *w = mine;
    char name[24];

    if (!w)
        return;
    struct offer offer = begin_offer(w);
    g_snprintf(name, sizeof name, "h%u", w->number);
    strobe_mark_recorded(name, w->next[STRESS_SIGNAL]++);
    end_offer(w, offer, 1);
    offer = begin_offer(w);
    StrobeRange range = strobe_range_begin_recorded("in a handler", 0);
    end_offer(w, offer, 1);
    strobe_range_end(range);
}

/* ---- threads ---- */

struct birth {
    guint64 seed;
    guint parent;
};

/* Runs a thread until its end. Some threads end with open ranges. */
static void run_life(const struct birth *birth)
{
    struct worker w = {.random = birth->seed | 1, .in_offer = &in_offer[birth->parent]};

    w.number = __atomic_fetch_add(&stress_loss_report.n_threads, 1, __ATOMIC_RELAXED);
    if (w.number >= STRESS_THREADS_MAX)
        return;
    __atomic_store_n(&stress_loss_report.tid[w.number], syscall(SYS_gettid), __ATOMIC_RELAXED);
    __atomic_store_n(&mine, &w, __ATOMIC_RELEASE);
    for (guint n = 1 + stress_below(&w.random, 100); n && !g_atomic_int_get(&is_over); n--) {
        run_burst(&w);
        pause_a_little(&w);
    }
    while (w.depth && stress_below(&w.random, 20))
        end_range(&w);
    __atomic_store_n(&mine, NULL, __ATOMIC_RELEASE);
}

static gpointer thread_of_one_life(gpointer birth)
{
    run_life(birth);
    g_free(birth);
    return NULL;
}

/* Runs one thread after the other, so that the number of running threads is always the same. */
static gpointer parent_of_threads(gpointer data)
{
    struct birth *birth = data;
    guint64 random = birth->seed | 1;

    while (!g_atomic_int_get(&is_over)) {
        birth->seed = stress_random(&random);
        g_thread_join(g_thread_new("life", thread_of_one_life, g_memdup2(birth, sizeof *birth)));
    }
    g_free(birth);
    return NULL;
}

void stress_start(guint64 seed, guint n)
{
    g_assert_cmpuint(n, <=, STRESS_PARENTS_MAX);
    threads = g_ptr_array_new();
    g_atomic_int_set(&is_over, FALSE);
    for (guint i = 0; i < n; i++) {
        const struct birth birth = {stress_random(&seed), i};
        g_ptr_array_add(threads,
                        g_thread_new("parent", parent_of_threads, g_memdup2(&birth, sizeof birth)));
    }
}

void stress_stop(void)
{
    g_atomic_int_set(&is_over, TRUE);
    for (guint i = 0; i < threads->len; i++)
        g_thread_join(g_ptr_array_index(threads, i));
    g_ptr_array_unref(threads);
}
