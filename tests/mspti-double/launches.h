/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The actions of a program, and the records that the library makes of them: one counter of launches
 * for the process, the latest id of each thread, one stack of external ids for all threads, and a
 * task queue with one consumer. Called with the double's lock.
 */
#ifndef STROBE_TESTS_MSPTI_LAUNCHES_H
#define STROBE_TESTS_MSPTI_LAUNCHES_H

#include <stdint.h>

/* Executes one of the lines that mspti-double.h lists. Returns 0; -1: the line is wrong; 1: it
 * is no line of this part. */
int launches_play(const char *line, uint64_t base);

/* The stack of this type of ids, for all threads; the results are those of the library. */
int launches_push(uint32_t id_type, uint64_t id);
int launches_pop(uint32_t id_type, uint64_t *id);

#endif
