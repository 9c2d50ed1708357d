/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of strobe-board-run. The desk has checked all values; it passes numbers as plain
 * decimals (durations in ns, sizes in bytes, 0 and 1). */
#ifndef STROBE_BOARD_PLAN_H
#define STROBE_BOARD_PLAN_H

#include "board-collector.h"

#define BOARD_COLLECTORS_MAX 16

typedef struct BoardPlan {
    const char *folder;   /* of the capture; it exists */
    const char *metadata; /* JSON object, for the capture */
    int64_t pool_bytes, flush_ns;
    int blocks; /* policy block; otherwise drop */
    const char
        *marks; /* folder of the library through which the program marks; NULL: there is none */
    unsigned sync;
    BoardCollector collectors[BOARD_COLLECTORS_MAX];
    unsigned n_collectors;
    char **command; /* program and arguments */
} BoardPlan;

/* Returns 0 after a message. The texts stay in `argv`. */
int board_plan_read(BoardPlan *plan, int argc, char **argv);

#endif
