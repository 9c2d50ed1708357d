/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls a function when the program's exit begins, while MSPTI's own objects still exist.
 *
 * Exit handlers destroy these objects; MSPTI registers a handler when it first needs an object.
 * Under `strobe run` the preloaded library calls the function before any exit handler runs. Without
 * this library, an exit handler of the plugin calls it. Handlers run in the reverse order of their
 * registration, so the plugin's handler must be registered later than MSPTI's.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_PROGRAM_EXIT_H
#define STROBE_PLUGINS_NPU_TASK_PROGRAM_EXIT_H

/* Calls `leave` when the program's exit begins, perhaps more than once. All callers must pass the
 * same function. */
void npu_exit_watch(void (*leave)(void));

/* Registers the plugin's handler again. MSPTI may have made more objects, whose handlers must not
 * run before the plugin's. */
void npu_exit_watch_again(void);

#endif
