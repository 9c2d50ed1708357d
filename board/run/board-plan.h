/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the arguments of strobe-board-run. `strobe run --on` has checked all values, and passes
 * numbers as decimal integers: durations in ns, sizes in bytes, Booleans as 0 or 1. */
#ifndef STROBE_BOARD_PLAN_H
#define STROBE_BOARD_PLAN_H

#include "board-collector.h"

#define BOARD_COLLECTORS_MAX 16

typedef struct BoardPlan {
    const char *folder;   /* folder for the capture, which exists */
    const char *metadata; /* JSON object with metadata for the capture */
    int64_t pool_bytes, flush_ns;
    /* 1: a thread that finds no room waits (policy block); 0: it drops records (policy drop) */
    int blocks;
    const char
        *marks; /* folder of the library with which the program makes marks; NULL: there is none */
    unsigned sync;
    BoardCollector collectors[BOARD_COLLECTORS_MAX];
    unsigned n_collectors;
    char **command; /* the program and its arguments */
} BoardPlan;

/* Reads the arguments into `plan`, which keeps pointers into `argv`. Returns 0 after a message. */
int board_plan_read(BoardPlan *plan, int argc, char **argv);

#endif
