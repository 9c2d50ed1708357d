/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps FOLDER STEPS [PERCENT]: records a run of a small program for bench/diff_trust.py: steps of
 * about 2 ms, each with eight layers of two ranges. The range `product` of the fourth layer has
 * PERCENT more work. Prints the folder of the result.
 */
#include <stdio.h>
#include "measure.h"

#define LAYERS 8
#define SLOWED 3
/* number of words of the buffer: 256 KB, more than the first-level cache has */
#define WORDS 32768

static uint64_t memory[WORDS];

/* Does the work of `rounds` rounds. Its duration depends only on the machine and its load. */
static void do_rounds(unsigned rounds)
{
    uint64_t value = rounds;

    for (unsigned i = 0; i < rounds; i++) {
        value = scatter_number(value);
        memory[value % WORDS] += value;
    }
    keep_value(memory[value % WORDS]);
}

static void run_range(const char *name, unsigned rounds)
{
    StrobeRange range = strobe_range_begin(name);

    do_rounds(rounds);
    strobe_range_end(range);
}

static void run_layer(unsigned layer, unsigned percent)
{
    char name[32];
    unsigned product = 20000 + 4000 * layer;

    snprintf(name, sizeof name, "layer %u", layer);
    StrobeRange range = strobe_range_begin(name);
    run_range("product", product + (layer == SLOWED ? product / 100 * percent : 0));
    run_range("sum", 5000 + 500 * layer);
    strobe_range_end(range);
}

static void run_step(unsigned percent)
{
    for (unsigned layer = 0; layer < LAYERS; layer++)
        run_layer(layer, percent);
    strobe_step();
}

int main(int argc, char **argv)
{
    long steps = number_argument(argc, argv, 2, 100);
    long percent = number_argument(argc, argv, 3, 0);

    if (argc < 2)
        fail("usage", "steps FOLDER STEPS [PERCENT]");
    StrobeSession *session = session_begin(argv[1]);
    for (long i = 0; i < steps; i++)
        run_step((unsigned)percent);
    session_stop(session);
    puts(strobe_session_directory(session));
    strobe_session_free(session);
    return 0;
}
