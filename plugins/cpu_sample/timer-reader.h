/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the samples that timers in a program and its children take (timer-ring.h). One thread at a
 * time. */
#ifndef STROBE_CPU_SAMPLE_TIMER_READER_H
#define STROBE_CPU_SAMPLE_TIMER_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sample-event.h"
#include "timer-ring.h"

typedef struct TimerReader TimerReader;

/* From now on a sample is taken each `interval_ns` of processor time; `has_children`: in processes
 * that the program starts too. NULL with errno: ENOENT, the program has no timers. */
TimerReader *timer_reader_open(const char *proc_root, pid_t pid, uint64_t interval_ns,
                               int has_children);
/* No further samples are taken. NULL is allowed. */
void timer_reader_close(TimerReader *reader);

/* Looks for processes that have begun. */
void timer_reader_look(TimerReader *reader);
/* To be called before the samples are read. */
void timer_reader_begin(TimerReader *reader);
/* The next sample, valid until the next call; NULL: there is none now. */
const Sample *timer_reader_next(TimerReader *reader);

/* Samples that found no room so far. */
uint64_t timer_reader_lost(const TimerReader *reader);
/* Has a program ended its timers, since it handles their signal itself? */
int timer_reader_is_taken(const TimerReader *reader);

#endif
