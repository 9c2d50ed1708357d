/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated OpenCL driver: one queue, whose commands complete when the test says so. */
#ifndef STROBE_PLUGINS_OPENCL_TEST_DRIVER_H
#define STROBE_PLUGINS_OPENCL_TEST_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "layer.h"

/* Locks are those of pthread, since ThreadSanitizer does not see GLib's. */
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
    TestEvent *line; /* commands that are not complete, each with a reference */
    cl_command_queue_properties made_with; /* the queue's properties */
    _Atomic int n_events, n_pending, fails_callback;
    _Atomic cl_ulong clock;
} TestDriver;

extern TestDriver test_driver;

void test_driver_fill(cl_icd_dispatch *table);

/* Removes and returns the newest command that is not complete; NULL if there is none. */
TestEvent *test_driver_take(void);
void test_driver_complete(TestEvent *event);
void test_driver_complete_all(void);

#endif
