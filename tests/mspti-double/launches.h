/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the actions of a program, and makes the records that the library would make of them. There
 * is one counter of launches for the process, the latest id of each thread, one stack of external
 * ids for all threads, and a task queue with one consumer. The caller must hold the double's
 * lock. */
#ifndef STROBE_TESTS_MSPTI_LAUNCHES_H
#define STROBE_TESTS_MSPTI_LAUNCHES_H

#include <stdint.h>

/* Plays a line that mspti-double.h lists among those for an action. Returns 0; -1: the line is
 * wrong; 1: it is another line. */
int launches_play(const char *line, uint64_t base);

/* launches_push and launches_pop change the stack of external ids of this type, which all threads
 * share. They return the codes of the library. */
int launches_push(uint32_t id_type, uint64_t id);
int launches_pop(uint32_t id_type, uint64_t *id);

#endif
