/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls by sys.monitoring, which Python has from 3.12 on: of all threads at once, beside any other
 * profiler. With the interpreter's lock.
 */
#ifndef STROBE_PYTHON_CALL_MONITORING_H
#define STROBE_PYTHON_CALL_MONITORING_H

/* Does this interpreter have it? */
int monitoring_is_there(void);

/* The same as hook_install and hook_remove. */
const char *monitoring_install(void);
void monitoring_remove(void);

#endif
