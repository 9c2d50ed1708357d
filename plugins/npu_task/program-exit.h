/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The begin of the program's exit, when the library's own objects are still there.
 *
 * These are destroyed by exit handlers that the library registers as it first needs each. Under
 * `strobe run` the preloaded library calls back before the first of all handlers. Elsewhere a
 * handler of our own does, and has to be registered later than the library's.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_PROGRAM_EXIT_H
#define STROBE_PLUGINS_NPU_TASK_PROGRAM_EXIT_H

/* Calls `leave` when the program's exit begins, maybe more than once. Always the same function. */
void npu_exit_watch(void (*leave)(void));

/* The library may have made objects since: its handlers must not run before ours. */
void npu_exit_watch_again(void);

#endif
