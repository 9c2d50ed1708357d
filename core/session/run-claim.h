/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which process of a run records: the file "claim" in the run's folder, "PID START RANK". START is
 * when the process began (field 22 of /proc/PID/stat): a program that is executed in a process
 * keeps both, another process never has both. libc only; part of the preloaded library too.
 */
#ifndef STROBE_CORE_RUN_CLAIM_H
#define STROBE_CORE_RUN_CLAIM_H

/* Why a process records, by weight. */
enum {
    STROBE_CLAIM_NONE = 0,
    STROBE_CLAIM_FOR_NOW = 1, /* only collectors that work in any process work in it, and others
                                 are requested: a process in which one of these works takes over */
    STROBE_CLAIM_ANY = 2,     /* only such are requested */
    STROBE_CLAIM_OWN = 3      /* another collector works in it */
};

typedef struct StrobeClaim {
    long pid;
    unsigned long long start;
    int rank;
} StrobeClaim;

/* 0: no process has claimed the run in this folder. */
int strobe_claim_read(const char *folder, StrobeClaim *claim);

/* Is it the claim of this process, perhaps of the program that ran in it before? */
int strobe_claim_is_mine(const StrobeClaim *claim);

/* Claims the run for this process; 0: another one has it. A program that was executed in the
 * claiming process takes over, as does a process whose rank is higher than FOR_NOW. What the
 * earlier one recorded is then of no substance, and moves from "directories" to "dropped", unless
 * it was executed away after 10 s or recorded by rank OWN. `shared`: every process may record. */
int strobe_claim_take(const char *folder, int rank, int shared);

/* This process's claim has the rank OWN from now on. */
void strobe_claim_confirm(const char *folder);

#endif
