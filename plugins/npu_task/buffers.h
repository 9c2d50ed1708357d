/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buffers that the vendor's library fills.
 *
 * The library calls the plugin's two callbacks on threads of the program, and holds its own lock
 * meanwhile. So the callbacks take only a few atomic steps, and wake up the thread that waits for
 * buffers. The memory of a buffer is never freed: the library may use it until the process ends.
 * Another client of the library that replaces the callbacks may free the memory.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_BUFFERS_H
#define STROBE_PLUGINS_NPU_TASK_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#include "epochs.h"

/* Makes `n` buffers of `bytes` each (a multiple of 8); the memory of each is allocated when it is
 * first needed. Only the first call has an effect. Returns 0; -1: out of memory. */
int npu_buffers_make(uint32_t n, size_t bytes);

/* Allows or forbids giving buffers to the library. */
void npu_buffers_open(int is_open);

/* The callbacks of the library. Any thread may call them. */
void npu_buffers_request(uint8_t **buffer, size_t *size, size_t *max_records);
void npu_buffers_complete(uint8_t *buffer, size_t size, size_t valid);

/* Returns the filled buffer that was given out first; NULL: there is none. The caller must give the
 * buffer back with npu_buffers_release. The library hands buffers over from several threads, so a
 * buffer that was given out earlier may still be missing. In this case, if `waits` is set, returns
 * NULL and sets `*is_out` to 1. Only one thread at a time may call this function. */
const uint8_t *npu_buffers_next(size_t *valid, int waits, int *is_out);

/* Returns the content of a buffer that npu_buffers_next returned, and the time when it was handed
 * over. */
NpuFilled npu_buffers_filled(const uint8_t *buffer);

/* Returns whether the library still has a buffer although later ones were read without waiting for
 * it. */
int npu_buffers_have_overdue(void);
void npu_buffers_release(const uint8_t *buffer);

/* Returns the number of buffers that another client must have taken. Such a buffer was given out
 * before `before_ns` (of CLOCK_MONOTONIC) and after the last buffer that was read, and was not
 * handed over although a flush that began at `before_ns` has returned. Counts each buffer once. */
uint32_t npu_buffers_gone(int64_t before_ns);

/* Waits until a buffer is handed over, `wake` is called, or the time is over. */
void npu_buffers_wait(uint64_t timeout_ns);
void npu_buffers_wake(void);

typedef struct NpuBufferFaults {
    /* number of requests when no buffer was free; for each of these the library dropped a record */
    uint64_t n_refused;
    /* number of addresses that were handed over but are no buffer that was given out */
    uint64_t n_external;
    /* number of buffers that were handed over with a wrong size, or with more valid bytes than
     * their size */
    uint64_t n_size;
} NpuBufferFaults;

/* Returns the faults since the last call of this function. */
NpuBufferFaults npu_buffers_take_faults(void);

/* Must be called in a forked child: from now on no buffers are given out there. */
void npu_buffers_after_fork(void);

#endif
