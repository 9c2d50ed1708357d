/* SPDX-License-Identifier: Apache-2.0 */
/* write FOLDER [REPEATS]: measures how many spans one thread can record in a second without a loss
 * while the capture is written (found by bisection), and the share of spans that is lost at full
 * speed. The floor is a write of as many bytes to the same folder, as a number of spans in a
 * second. */
#include <recorder.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "measure.h"

#define SECOND 1e9
#define SLICE_NS 1e6 /* the thread records one burst of spans in each slice */
#define HALVINGS 6
#define SPAN_BYTES 32

typedef struct Outcome {
    double rate; /* spans that the program records in a second */
    double lost; /* share of the spans that is lost */
} Outcome;

static uint64_t n_lost(void)
{
    uint64_t lost[STROBE_LOSS_CAUSES], sum = 0;

    strobe_recorder_losses(lost);
    for (unsigned i = 0; i < STROBE_LOSS_CAUSES; i++)
        sum += i == STROBE_LOSS_STRING_CUT ? 0 : lost[i];
    return sum;
}

static void remove_capture(const char *directory)
{
    char path[4096];

    if (snprintf(path, sizeof path, "%s/FRAMEWORK/capture.strobe", directory) >= (int)sizeof path ||
        unlink(path))
        fail(directory, "no capture");
}

static uint64_t record_for(double rate, double ns)
{
    double begin = now_ns(), now = begin;
    uint64_t n = 0;

    while (now - begin < ns) {
        uint64_t due = rate > 0 ? (uint64_t)((now - begin + SLICE_NS) * rate / SECOND) : n + 10000;

        for (; n < due; n++)
            strobe_range_end(strobe_range_begin_argument("benchmark", n));
        double left = rate > 0 ? (double)n / rate * SECOND - SLICE_NS / 2 - (now_ns() - begin) : 0;
        if (left > 0)
            nanosleep(&(struct timespec){0, (long)left}, NULL);
        now = now_ns();
    }
    return n;
}

/* Records a window of a second with `rate` spans in a second; 0: at full speed. */
static Outcome try_rate(const char *folder, double rate)
{
    StrobeSession *session = session_begin(folder);
    double begin = now_ns();
    uint64_t n = record_for(rate, SECOND);
    double spent = now_ns() - begin;

    session_stop(session);
    Outcome outcome = {(double)n / spent * SECOND, (double)n_lost() / (double)n};
    remove_capture(strobe_session_directory(session));
    strobe_session_free(session);
    return outcome;
}

/* Returns the highest rate, of those that it tries, at which no span is lost. */
static double lossless_rate(const char *folder, double most)
{
    double low = 0, high = most, found = 0;

    for (int i = 0; i < HALVINGS; i++) {
        double rate = (low + high) / 2;
        Outcome outcome = try_rate(folder, rate);

        if (outcome.lost > 0) {
            high = rate;
        } else {
            low = rate;
            found = outcome.rate > found ? outcome.rate : found;
        }
    }
    return found;
}

/* Returns the number of spans in a second whose bytes can be written with a simple write. */
static double plain_rate(const char *folder, double n)
{
    return n / plain_write(folder, n * SPAN_BYTES) * SECOND;
}

int main(int argc, char **argv)
{
    static Samples lossless = {.name = "lossless"}, full = {.name = "full"},
                   lost = {.name = "lost"}, floor = {.name = "floor"};
    long repeats = number_argument(argc, argv, 2, 3);

    if (argc < 2)
        fail("usage", "write FOLDER [REPEATS]");
    for (long i = 0; i < repeats; i++) {
        Outcome outcome = try_rate(argv[1], 0);

        samples_add(&full, outcome.rate);
        samples_add(&lost, 100 * outcome.lost);
        samples_add(&lossless,
                    outcome.lost > 0 ? lossless_rate(argv[1], outcome.rate) : outcome.rate);
        samples_add(&floor, plain_rate(argv[1], lossless.values[i]));
    }
    samples_print(&lossless);
    samples_print(&full);
    samples_print(&lost);
    samples_print(&floor);
    return 0;
}
