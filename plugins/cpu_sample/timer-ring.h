/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples that timers in a program take: a file that the preloaded library (timer-preload.c) maps
 * in the program and the collector in the writer process. Signal handlers of any thread write, one
 * process reads and does not trust what it reads. libc only.
 *
 * The file is NAME_PREFIX PID in the folder of the run.
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
    _Atomic uint64_t state; /* the ticket + 1: it is written */
    uint64_t time;          /* CLOCK_MONOTONIC, ns */
    uint64_t period;        /* ns of processor time */
    uint32_t tid, processor;
    uint64_t n;
    uint64_t addresses[TIMER_RING_FRAMES]; /* innermost first */
} TimerSlot;

enum { TIMER_RING_ARMED = 1, TIMER_RING_TAKEN = 2 /* the program handles the signal itself */ };

typedef struct TimerRing {
    uint32_t version;
    _Atomic uint32_t state;    /* TIMER_RING_* */
    _Atomic uint64_t interval; /* ns between samples, by the collector; 0: none are wanted */
    _Atomic uint64_t lost;     /* the ring was full */
    _Alignas(64) _Atomic uint64_t head;
    _Alignas(64) _Atomic uint64_t tail;
    _Alignas(64) TimerSlot slots[TIMER_RING_SLOTS];
} TimerRing;

#endif
