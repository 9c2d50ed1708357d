/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring for samples that timers in a program take. The ring is a file that the preloaded library
 * (timer-preload.c) maps in the program and the collector maps in the writer process. Signal
 * handlers of any thread write samples; the collector reads them, and does not trust the contents.
 * This header needs only libc.
 *
 * The file is in the folder of the run; its name is TIMER_RING_PREFIX and the process id.
 */
#ifndef STROBE_CPU_SAMPLE_TIMER_RING_H
#define STROBE_CPU_SAMPLE_TIMER_RING_H

#include <stdatomic.h>
#include <stdint.h>

#define TIMER_RING_PREFIX "timers-"
#define TIMER_RING_VERSION 1u
#define TIMER_RING_SLOTS 4096u /* a power of two */
#define TIMER_RING_FRAMES 122u

typedef struct TimerSlot {
    _Atomic uint64_t state; /* the slot's ticket + 1 if the slot is complete */
    uint64_t time;          /* CLOCK_MONOTONIC, ns */
    uint64_t period;        /* ns of processor time */
    uint32_t tid, processor;
    uint64_t n;
    uint64_t addresses[TIMER_RING_FRAMES]; /* innermost first */
} TimerSlot;

enum {
    TIMER_RING_ARMED = 1,
    TIMER_RING_TAKEN = 2 /* the program handles SIGPROF itself */
};

typedef struct TimerRing {
    uint32_t version;
    _Atomic uint32_t state; /* TIMER_RING_* */
    /* ns between two samples, set by the collector; 0: no samples are taken */
    _Atomic uint64_t interval;
    _Atomic uint64_t lost; /* number of samples that were lost because the ring was full */
    _Alignas(64) _Atomic uint64_t head;
    _Alignas(64) _Atomic uint64_t tail;
    _Alignas(64) TimerSlot slots[TIMER_RING_SLOTS];
} TimerRing;

#endif
