/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records calls by sys.monitoring, which exists from Python 3.12 on. It works in all threads at
 * once, and together with any other profiler. The caller of each function must hold the
 * interpreter's lock.
 */
#ifndef STROBE_PYTHON_CALL_MONITORING_H
#define STROBE_PYTHON_CALL_MONITORING_H

/* Returns whether this interpreter has sys.monitoring. */
int monitoring_is_there(void);

/* Do the same as hook_install and hook_remove. */
const char *monitoring_install(void);
void monitoring_remove(void);

#endif
