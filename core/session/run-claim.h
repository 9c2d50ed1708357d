/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claim of the process that records in a run: the file "claim" in the run's folder, "PID
 * START RANK". START is the start time of the process (field 22 of /proc/PID/stat). An exec
 * keeps both numbers; another process never has both. libc only; also part of the preloaded
 * library.
 */
#ifndef STROBE_CORE_RUN_CLAIM_H
#define STROBE_CORE_RUN_CLAIM_H

/* Why a process records, by increasing weight. */
enum {
    STROBE_CLAIM_NONE = 0,
    STROBE_CLAIM_FOR_NOW = 1, /* others are requested too, but only collectors that work in any
                                 process work in it: a process in which one of the others works
                                 takes over */
    STROBE_CLAIM_ANY = 2,     /* only collectors that work in any process are requested */
    STROBE_CLAIM_OWN = 3      /* another collector works in it */
};

typedef struct StrobeClaim {
    long pid;
    unsigned long long start;
    int rank;
} StrobeClaim;

/* 0: no process has claimed the run in this folder. */
int strobe_claim_read(const char *folder, StrobeClaim *claim);

/* Is it the claim of this process, or of a program that ran in it before? */
int strobe_claim_is_mine(const StrobeClaim *claim);

/* Claims the run for this process; returns 0 if another one has it. A program that was executed in
 * the claiming process takes over, and so does a process with a rank above FOR_NOW. The result of
 * the earlier program is then dropped: its path moves from "directories" to "dropped", unless the
 * exec came after 10 s or the earlier program recorded with rank OWN. `shared`: every process may
 * record. */
int strobe_claim_take(const char *folder, int rank, int shared);

/* From now on this process's claim has the rank OWN. */
void strobe_claim_confirm(const char *folder);

#endif
