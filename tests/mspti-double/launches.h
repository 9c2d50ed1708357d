/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program does, and the records that the library makes of it: one counter of launches for
 * the process, the latest of each thread, one stack of external ids for all threads, and a task
 * queue with one consumer. With the double's lock held.
 */
#ifndef STROBE_TESTS_MSPTI_LAUNCHES_H
#define STROBE_TESTS_MSPTI_LAUNCHES_H

#include <stdint.h>

/* One line of those that mspti-double.h lists; 0, -1: no such line, 1: it is another's. */
int launches_play(const char *line, uint64_t base);

/* The stack of that type of ids, for all threads; results are the library's. */
int launches_push(uint32_t id_type, uint64_t id);
int launches_pop(uint32_t id_type, uint64_t *id);

#endif
