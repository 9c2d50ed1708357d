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
    /* only collectors that work in any process work in this process, but other collectors are
     * requested too: a process in which one of the others works takes over */
    STROBE_CLAIM_FOR_NOW = 1,
    STROBE_CLAIM_ANY = 2, /* only collectors that work in any process are requested */
    STROBE_CLAIM_OWN = 3 /* a collector works in this process that does not work in every process */
};

typedef struct StrobeClaim {
    long pid;
    unsigned long long start;
    int rank;
} StrobeClaim;

/* Reads the claim of the run in this folder. 0: no process has claimed the run. */
int strobe_claim_read(const char *folder, StrobeClaim *claim);

/* Did this process make the claim, in this program or in a program that ran in the process before
 * an exec? */
int strobe_claim_is_mine(const StrobeClaim *claim);

/* Claims the run for this process; returns 0 if another process has the claim. A program that was
 * executed in the claiming process takes the claim over. So does a process with a higher rank if
 * the claim has the rank FOR_NOW. The result of the earlier program is then dropped: its path moves
 * from "directories" to "dropped", unless the exec came after 10 s or the earlier program recorded
 * with rank OWN. `shared`: every process may record, with or without the claim. */
int strobe_claim_take(const char *folder, int rank, int shared);

/* Gives this process's claim the rank OWN. */
void strobe_claim_confirm(const char *folder);

#endif
