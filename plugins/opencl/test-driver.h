/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates an OpenCL driver that has one queue, whose commands are complete when the test says
 * so. */
#ifndef STROBE_PLUGINS_OPENCL_TEST_DRIVER_H
#define STROBE_PLUGINS_OPENCL_TEST_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "layer.h"

/* Uses locks of pthread, because ThreadSanitizer does not see those of GLib. */
typedef struct TestEvent {
    struct TestEvent *next;
    pthread_mutex_t lock;
    _Atomic int references, status;
    void(CL_CALLBACK *reported)(cl_event, cl_int, void *);
    void *data;
    cl_ulong time[4];
} TestEvent;

typedef struct TestDriver {
    pthread_mutex_t lock;
    TestEvent *line; /* commands that are not complete; the line has a reference to each */
    cl_command_queue_properties made_with; /* properties of the queue */
    _Atomic int n_events, n_pending, fails_callback;
    _Atomic cl_ulong clock;
} TestDriver;

extern TestDriver test_driver;

void test_driver_fill(cl_icd_dispatch *table);

/* Removes and returns the newest command that is not complete; NULL: there is none. */
TestEvent *test_driver_take(void);
void test_driver_complete(TestEvent *event);
void test_driver_complete_all(void);

#endif
