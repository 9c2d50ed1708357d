/* SPDX-License-Identifier: Apache-2.0 */
/* threads FOLDER [REPEATS]: measures the recording calls per ns of one thread, and of two threads
 * at once. Also measures both for reads of the counter, which show how much a second processor
 * gains at the time of the measurement. */
#include <pthread.h>
#include <string.h>
#include "measure.h"

#define SPANS 100000u
#define READS 1000000u
#define WARM 100u
#define PAUSE_NS 40000000

static pthread_barrier_t gate;

struct worker {
    void (*work)(unsigned n);
    unsigned n;
    double begin, end;
};

static void record_spans(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        strobe_range_end(strobe_range_begin_argument("benchmark", i));
}

static void read_counters(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        keep_value(read_counter());
}

static void *run_worker(void *user)
{
    struct worker *worker = user;

    worker->work(WARM);
    pthread_barrier_wait(&gate);
    worker->begin = now_ns();
    worker->work(worker->n);
    worker->end = now_ns();
    return NULL;
}

/* Returns the number of calls per ns that `threads` threads make together. */
static double measure_rate(void (*work)(unsigned n), unsigned n, unsigned threads)
{
    const struct timespec pause = {0, PAUSE_NS};
    struct worker workers[2];
    pthread_t ids[2];
    double begin, end;

    nanosleep(&pause, NULL);
    pthread_barrier_init(&gate, NULL, threads);
    for (unsigned i = 0; i < threads; i++) {
        workers[i] = (struct worker){.work = work, .n = n};
        if (pthread_create(&ids[i], NULL, run_worker, &workers[i]))
            fail("thread", "cannot be started");
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    pthread_barrier_destroy(&gate);
    begin = workers[0].begin;
    end = workers[0].end;
    for (unsigned i = 1; i < threads; i++) {
        begin = workers[i].begin < begin ? workers[i].begin : begin;
        end = workers[i].end > end ? workers[i].end : end;
    }
    return (double)n * threads / (end - begin);
}

int main(int argc, char **argv)
{
    static Samples one = {.name = "one"}, two = {.name = "two"}, floor_one = {.name = "floor_one"},
                   floor_two = {.name = "floor_two"};
    long repeats = number_argument(argc, argv, 2, 30);

    if (argc < 2)
        fail("usage", "threads FOLDER [REPEATS]");
    StrobeSession *session = session_begin(argv[1]);
    for (long i = 0; i < repeats; i++) {
        samples_add(&floor_one, measure_rate(read_counters, READS, 1));
        samples_add(&floor_two, measure_rate(read_counters, READS, 2));
        samples_add(&one, measure_rate(record_spans, SPANS, 1));
        samples_add(&two, measure_rate(record_spans, SPANS, 2));
    }
    session_stop(session);
    if (*strobe_session_diagnostics(session))
        fail("the session is incomplete", strobe_session_diagnostics(session));
    strobe_session_free(session);
    samples_print(&one);
    samples_print(&two);
    samples_print(&floor_one);
    samples_print(&floor_two);
    return 0;
}
