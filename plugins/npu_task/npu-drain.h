/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that makes the library hand over its records, and reads the buffers.
 *
 * While a window is being drained only the control thread reads buffers, because the host then
 * accepts records from that thread only.
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
    NpuRecords *records;         /* protected by `lock`, like the phase */
    const MsptiLibrary *library; /* protected by `library_lock`: one call at a time */
    pthread_mutex_t lock, library_lock;
    pthread_t thread;
    NpuClock *clock;             /* protected by `lock` */
    void (*look_at_clock)(void); /* called before a buffer's records are read */
    int64_t flush_interval_ns;
    int phase;
    _Atomic int is_hurried; /* a thread waits for the library's last records */
    const uint8_t *buffer;  /* the buffer that is being read; NULL: none */
    MsptiWalk walk;
    int64_t out_since_ns;   /* begin of the wait for an earlier buffer; 0: no wait */
    _Atomic int is_wanted;  /* number of threads that wait for the lock */
    _Atomic int is_running; /* the thread runs */
    _Atomic int is_ending;
    _Atomic uint64_t n_begun;  /* number of calls of the library that have begun */
    _Atomic uint64_t n_passes; /* number of calls of the library that have returned */
    _Atomic int64_t asked_ns;  /* begin of the present call, in CLOCK_MONOTONIC; 0: no call runs */
    _Atomic int64_t answered_ns; /* begin of the last successful call, in CLOCK_MONOTONIC */
    _Atomic uint64_t n_dropped;  /* number of records that the library counts as dropped */
    _Atomic int32_t code;        /* result of the last call */
} NpuDrain;

/* Starts the thread. Returns 0; -1: no thread could be started. */
int npu_drain_start(NpuDrain *drain);

/* Ends the passes. `waits`: waits for the present pass for a limited time. Returns -1 if the
 * library has not returned from the present pass; the thread ends when the library returns. */
int npu_drain_end(NpuDrain *drain, int waits);

#define NPU_LIBRARY_PATIENCE_NS 2500000000

/* Takes the lock for calls to the library. Returns -1 if another call did not return within
 * `patience_ns`. */
int npu_drain_hold_library(NpuDrain *drain, int64_t patience_ns);
void npu_drain_give_library(NpuDrain *drain);

/* Reads the delivered buffers on the calling thread, which holds the lock. Stops after a few
 * records if another thread wants the lock. Returns 1 if all buffers were read. */
int npu_drain_take(NpuDrain *drain);

/* Takes the lock with priority: the thread that reads buffers gives it up after a few records. */
void npu_drain_lock(NpuDrain *drain);
void npu_drain_unlock(NpuDrain *drain);

#endif
