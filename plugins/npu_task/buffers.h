/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buffers that the vendor's library fills.
 *
 * Its two callbacks come on threads of the program, with the library's lock held: taking a buffer
 * and handing one over are a few atomic steps, and a wake-up of the thread that waits for them. The
 * memory of a buffer stays for the life of the process: the library may hold on to one for as long,
 * and another client of the library, which takes our callbacks over, may free it.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_BUFFERS_H
#define STROBE_PLUGINS_NPU_TASK_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#include "epochs.h"

/* Makes `n` buffers of `bytes` each (a multiple of 8), each when it is needed, or keeps those that
 * are there. 0, or -1 where there is no memory. */
int npu_buffers_make(uint32_t n, size_t bytes);

/* From here on buffers are given out, or not. */
void npu_buffers_open(int is_open);

/* The callbacks. Any thread. */
void npu_buffers_request(uint8_t **buffer, size_t *size, size_t *max_records);
void npu_buffers_complete(uint8_t *buffer, size_t size, size_t valid);

/* The filled buffer that was given out first, NULL if there is none; given back by release. The
 * library hands buffers over from threads of their own: where one is on its way that was given out
 * before, `*is_out` is 1 and, if `waits`, the result NULL. One thread at a time. */
const uint8_t *npu_buffers_next(size_t *valid, int waits, int *is_out);

/* Returns the content of a buffer from `next` and the time of its arrival. */
NpuFilled npu_buffers_filled(const uint8_t *buffer);

/* Is one still on its way that others were not kept waiting for any longer? */
int npu_buffers_have_overdue(void);
void npu_buffers_release(const uint8_t *buffer);

/* Buffers that the library has had since before, the last that were given out, and that a flush
 * begun after `before_ns` (of CLOCK_MONOTONIC) has not brought: another client has them. Each is
 * counted once. */
uint32_t npu_buffers_gone(int64_t before_ns);

/* Until a buffer was handed over, `wake` was called, or the time is over. */
void npu_buffers_wait(uint64_t timeout_ns);
void npu_buffers_wake(void);

typedef struct NpuBufferFaults {
    uint64_t n_refused;  /* there was no free buffer: each is a record that the library dropped */
    uint64_t n_external; /* handed over that was not given out */
    uint64_t n_size; /* handed over with a size that is not its own, or more valid than it has */
} NpuBufferFaults;

/* Returns the faults since the last call. */
NpuBufferFaults npu_buffers_take_faults(void);

/* In a forked child: none of them is the child's. */
void npu_buffers_after_fork(void);

#endif
