/* SPDX-License-Identifier: Apache-2.0 */
/* Holds threads, or kills the process, at the recorder's test points (core/base/testpoint.h). */
#ifndef STROBE_TESTS_HOLD_H
#define STROBE_TESTS_HOLD_H

#include <glib.h>

typedef struct Hold Hold;

/* Holds the `nth` thread (from 1) that arrives at `point` from now on. */
Hold *hold_at(const char *point, guint nth);
/* Holds the calling thread at its `nth` arrival (from 1) at `point` from now on. */
Hold *hold_me_at(const char *point, guint nth);
/* Waits until a thread is held. Ends the test with an error after 20 s. */
void hold_wait(Hold *hold);
/* Lets the thread continue, and holds no other thread. */
void hold_release(Hold *hold);

/* Kills this process with SIGKILL at the `nth` arrival at `point`. */
void hold_kill_at(const char *point, guint nth);

/* Returns the names of all test points of the recorder and of recovery, which it finds in the
 * source files; NULL-terminated, free with g_strfreev. */
char **hold_all_points(void);

#endif
