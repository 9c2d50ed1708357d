/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that asks the library for what it has, and takes the buffers apart.
 *
 * While a window is being drained the buffers are the control thread's: records are accepted from
 * that one only, then.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_DRAIN_H
#define STROBE_PLUGINS_NPU_TASK_DRAIN_H

#include <pthread.h>
#include <stdatomic.h>

#include "npu-clock.h"
#include "mspti-library.h"
#include "records.h"

enum { NPU_IDLE, NPU_RECORDING, NPU_DRAINING };

typedef struct NpuDrain {
    NpuRecords *records;         /* under `lock`, as is the phase */
    const MsptiLibrary *library; /* under `library_lock`: one call at a time */
    pthread_mutex_t lock, library_lock;
    pthread_t thread;
    NpuClock *clock;             /* under `lock` */
    void (*look_at_clock)(void); /* called before a buffer's records are taken */
    int64_t flush_interval_ns;
    int phase;
    _Atomic int is_hurried; /* a thread waits for the rest of the library's records */
    const uint8_t *buffer;  /* that is being taken apart, NULL: none */
    MsptiWalk walk;
    int64_t out_since_ns;  /* since when one is on its way that comes before those that are there */
    _Atomic int is_wanted; /* somebody waits for the lock */
    _Atomic int is_running; /* the thread is there */
    _Atomic int is_ending;
    _Atomic uint64_t n_begun;  /* times that the library was asked, or is being asked */
    _Atomic uint64_t n_passes; /* times that it has come back */
    _Atomic int64_t asked_ns;  /* since when it is being asked, of CLOCK_MONOTONIC; 0: it is not */
    _Atomic int64_t answered_ns; /* when the last question that it answered was asked */
    _Atomic uint64_t n_dropped;  /* records that the library says it had no room for */
    _Atomic int32_t code;        /* with which it came back the last time */
} NpuDrain;

/* 0, or -1: there is no thread to be had. */
int npu_drain_start(NpuDrain *drain);

/* No further pass, and the present one is waited for a while, or not. -1: the library has not come
 * back from it; the thread ends when it does. */
int npu_drain_end(NpuDrain *drain, int waits);

#define NPU_LIBRARY_PATIENCE_NS 2500000000

/* The lock for calls to the library; -1: it has not come back from one in this time. */
int npu_drain_hold_library(NpuDrain *drain, int64_t patience_ns);
void npu_drain_give_library(NpuDrain *drain);

/* Takes the delivered buffers on the calling thread, with the lock held. If another thread wants
 * the lock, it stops after a few records. Returns 1 if it took all. */
int npu_drain_take(NpuDrain *drain);

/* The lock, soon. */
void npu_drain_lock(NpuDrain *drain);
void npu_drain_unlock(NpuDrain *drain);

#endif
