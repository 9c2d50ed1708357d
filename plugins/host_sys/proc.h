/* SPDX-License-Identifier: Apache-2.0 */
/* One process as /proc, or a recorded tree of the same form, shows it. No allocation per read. */
#ifndef STROBE_PLUGINS_PROC_H
#define STROBE_PLUGINS_PROC_H

#include <stdint.h>
#include <sys/types.h>

typedef struct StrobeProc {
    int stat, statm, uptime; /* descriptors, -1: not open */
    int is_live;             /* the real /proc, and the calling process */
    uint64_t memory_total;   /* B, of the machine */
    long ticks_per_second, page_size;
} StrobeProc;

typedef struct StrobeProcTimes {
    uint64_t at_ns;              /* when this was read */
    uint64_t user_ns, system_ns; /* used so far, all threads */
    uint32_t threads;
} StrobeProcTimes;

typedef struct StrobeProcMemory {
    uint64_t virtual_size, resident, shared; /* B */
} StrobeProcMemory;

/* Opens `root`/`pid`. Returns NULL, or the path of what cannot be used (in `path`, errno set; 0 if
 * it could be read but has another form). */
const char *strobe_proc_open(StrobeProc *proc, const char *root, pid_t pid, char *path,
                             size_t size);
void strobe_proc_close(StrobeProc *proc);

/* 0, or -1 when the file cannot be read or has another form. */
int strobe_proc_read_times(const StrobeProc *proc, StrobeProcTimes *times);
int strobe_proc_read_memory(const StrobeProc *proc, StrobeProcMemory *memory);

#endif
