/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buffers that the vendor's library fills.
 *
 * The library calls its two callbacks on threads of the program, with its own lock held. So
 * requesting and completing a buffer are a few atomic steps, and a wake-up of the thread that waits
 * for buffers. The memory of a buffer is never freed: the library may use it until the process
 * ends. Another client of the library, which takes our callbacks over, may free it.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_BUFFERS_H
#define STROBE_PLUGINS_NPU_TASK_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#include "epochs.h"

/* Makes `n` buffers of `bytes` each (a multiple of 8); the memory of each is allocated when it is
 * first needed. Later calls keep the buffers of the first. Returns 0, or -1: out of memory. */
int npu_buffers_make(uint32_t n, size_t bytes);

/* Allows or forbids giving buffers to the library. */
void npu_buffers_open(int is_open);

/* The callbacks of the library. Any thread may call them. */
void npu_buffers_request(uint8_t **buffer, size_t *size, size_t *max_records);
void npu_buffers_complete(uint8_t *buffer, size_t size, size_t valid);

/* Returns the filled buffer that was given out first, or NULL if there is none; release gives it
 * back. The library hands buffers over from several threads. If an earlier buffer was not handed
 * over yet, `*is_out` is 1 and, if `waits`, the result is NULL. One thread at a time. */
const uint8_t *npu_buffers_next(size_t *valid, int waits, int *is_out);

/* Returns the content of a buffer from `next` and the time of its arrival. */
NpuFilled npu_buffers_filled(const uint8_t *buffer);

/* Is there a buffer that the library still has although later ones were read without waiting for
 * it? */
int npu_buffers_have_overdue(void);
void npu_buffers_release(const uint8_t *buffer);

/* Returns the number of buffers that another client must have taken: given out before `before_ns`
 * (of CLOCK_MONOTONIC) and after the last one that was read, and not handed over although a flush
 * that began then has returned. Counts each buffer once. */
uint32_t npu_buffers_gone(int64_t before_ns);

/* Waits until a buffer is handed over, `wake` is called, or the time is over. */
void npu_buffers_wait(uint64_t timeout_ns);
void npu_buffers_wake(void);

typedef struct NpuBufferFaults {
    uint64_t n_refused;  /* no buffer was free: for each the library dropped a record */
    uint64_t n_external; /* handed over, but not one that was given out */
    uint64_t n_size;     /* handed over with a wrong size, or with more valid bytes than it has */
} NpuBufferFaults;

/* Returns the faults since the last call. */
NpuBufferFaults npu_buffers_take_faults(void);

/* Call it in a forked child: gives no buffers out there. */
void npu_buffers_after_fork(void);

#endif
