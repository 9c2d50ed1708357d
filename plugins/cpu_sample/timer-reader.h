/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the samples that timers in a program and its children take (timer-ring.h). Only one thread
 * at a time may use the reader. */
#ifndef STROBE_CPU_SAMPLE_TIMER_READER_H
#define STROBE_CPU_SAMPLE_TIMER_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sample-event.h"
#include "timer-ring.h"

typedef struct TimerReader TimerReader;

/* Starts sampling: one sample for each `interval_ns` of processor time; if `has_children` is set,
 * also in processes that the program starts. Returns NULL with errno on failure; ENOENT: the
 * program has no timers. */
TimerReader *timer_reader_open(const char *proc_root, pid_t pid, uint64_t interval_ns,
                               int has_children);
/* Ends sampling. NULL is allowed. */
void timer_reader_close(TimerReader *reader);

/* Looks for the rings of new processes. */
void timer_reader_look(TimerReader *reader);
/* Starts a pass over all rings; call it before the first timer_reader_next. */
void timer_reader_begin(TimerReader *reader);
/* Returns the next sample, which is valid until the next call; NULL: there is none now. */
const Sample *timer_reader_next(TimerReader *reader);

/* Returns the number of samples that were lost because a ring was full. */
uint64_t timer_reader_lost(const TimerReader *reader);
/* Returns whether a program has ended its timers by setting its own handler for SIGPROF. */
int timer_reader_is_taken(const TimerReader *reader);

#endif
