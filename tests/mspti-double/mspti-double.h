/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A double of libmspti.so by its ABI, for tests: what it tells is made up, and every name that it
 * gives says so. It shares no header with the code under test; layouts are written down here a
 * second time, as offsets of bytes.
 *
 * It has all functions of the ABI's page. GetNextRecord keeps its place by thread, as the original
 * does; callbacks are enabled and never come.
 *
 * A program plays records into it, as the vendor's library would make them of what the program
 * does. How it goes wrong is said by the variable MSPTI_DOUBLE, words joined by commas:
 *
 *   abort             loading it ends the process
 *   taken             there is a subscriber already
 *   fail=CALL:CODE    subscribe, register, enable, disable, unsubscribe or flush return that code
 *   fail-kind=K:CODE  enabling this kind does
 *   half              buffers are handed over when they are half full
 *   unknown           each buffer ends in a record of an unknown kind
 *   oversize          buffers are handed over as larger and fuller than they are
 *   twice             each buffer is handed over twice
 *   external           with each buffer one of the double's own is handed over
 *   thread            buffers that FlushAll hands over come from another thread, too
 *   keep              every other buffer is never handed over
 *   swap              every other retired buffer comes 200 ms late, behind those after it
 *   lag=MS            what devices did is told so much later
 *   drop=N            every Nth record is dropped, and counted
 *   hang=MS           FlushAll takes so long
 */
#ifndef STROBE_TESTS_MSPTI_DOUBLE_H
#define STROBE_TESTS_MSPTI_DOUBLE_H

#include <stdint.h>

typedef struct MsptiDoubleState {
    uint64_t n_reported; /* records that went into a buffer */
    uint64_t n_dropped;  /* that found none, or whose kind is not enabled */
    uint64_t n_handed;   /* buffers handed over */
    uint64_t handing_ns; /* all that handing over took */
    uint64_t slowest_ns; /* the longest that one took */
    uint32_t enabled;    /* kinds, as bits */
    int is_subscribed, n_flushes;
    int blocks;    /* set by a program: FlushAll does not come back until it is not set any more */
    int n_blocked; /* calls that wait for that */
} MsptiDoubleState;

/* One record, as a line of words; times are offsets from `base` in ns:
 *   kernel DEVICE STREAM CORRELATION TYPE NAME BEGIN DURATION
 *   api KIND THREAD CORRELATION NAME BEGIN DURATION
 *   comm DEVICE STREAM CORRELATION NAME GROUP ALGORITHM TYPE COUNT BEGIN DURATION
 *   hccl DEVICE STREAM NAME GROUP BANDWIDTH BEGIN DURATION
 *   marker FLAG SOURCE ID A B NAME DOMAIN AT
 *   memory OPERATION DEVICE STREAM ADDRESS BYTES BEGIN DURATION
 *   memset DEVICE STREAM CORRELATION VALUE BYTES ASYNC BEGIN DURATION
 *   memcpy DEVICE STREAM CORRELATION DIRECTION BYTES ASYNC BEGIN DURATION
 *   external SORT ID CORRELATION
 *
 * Or what a program does, of which the library makes the records, ids and all (launches.h):
 *   launch THREAD DEVICE STREAM TYPE NAME BEGIN DURATION
 *   call KIND THREAD NAME BEGIN DURATION           ends with the thread's latest launch
 *   collective THREAD DEVICE STREAM NAME GROUP AT BEGIN DURATION    its call is made at AT
 *   enqueue DEVICE STREAM TYPE NAME DURATION       for a consumer thread to launch
 *   dequeue THREAD AT BEGIN                        the calls are made at AT, its kernel begins
 *   push SORT ID, pop SORT                         one stack for all threads
 * Calls of the node level are records of kind 11 and of kind 3, as far as these are enabled; a line
 * "api 11" is told as kind 3 where that alone is.
 * "-" is an empty text, "NULL" none. Returns 0, or -1: no such line. */
typedef int MsptiDoublePlay(const char *line, uint64_t base);

/* Many kernels at once, on 4 streams of 2 devices; ids from `first`, one every `step_ns`. */
typedef void MsptiDoubleKernels(uint64_t n, uint64_t first, uint64_t base, uint64_t step_ns);

typedef MsptiDoubleState *MsptiDoubleGet(void);

#endif
