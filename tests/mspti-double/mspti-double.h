/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test double of libmspti.so with its ABI: its reports are simulated, and every name in them says
 * so. It shares no header with the code under test; layouts are written down here again, as offsets
 * in bytes.
 *
 * It has all functions of the ABI's page. GetNextRecord keeps its position by thread, like the
 * original; callbacks can be enabled, but are never called.
 *
 * A program plays the records into it that the vendor's library would make of the program's
 * actions. The variable MSPTI_DOUBLE selects faults, as words joined by commas:
 *
 *   abort             loading it ends the process
 *   taken             there already is a subscriber
 *   fail=CALL:CODE    subscribe, register, enable, disable, unsubscribe or flush return that code
 *   fail-kind=K:CODE  enabling this kind returns that code
 *   half              buffers are handed over when they are half full
 *   unknown           each buffer ends in a record of an unknown kind
 *   newer             each buffer begins with a record of a kind that only the library knows
 *   oversize          buffers are handed over as larger and fuller than they are
 *   twice             each buffer is handed over twice
 *   external          a buffer of the double's own is handed over with each buffer
 *   thread            buffers that FlushAll hands over come from another thread too
 *   keep              every second buffer is never handed over
 *   swap              every second retired buffer comes 200 ms late, after the following ones
 *   lag=MS            records of devices are reported this much later
 *   drop=N            every Nth record is dropped, and counted
 *   hang=MS           FlushAll takes this long
 */
#ifndef STROBE_TESTS_MSPTI_DOUBLE_H
#define STROBE_TESTS_MSPTI_DOUBLE_H

#include <stdint.h>

typedef struct MsptiDoubleState {
    uint64_t n_reported; /* records that were written into a buffer */
    uint64_t n_dropped;  /* records without a buffer, or of a kind that is not enabled */
    uint64_t n_handed;   /* number of buffers passed to the program */
    uint64_t handing_ns; /* total time of passing them */
    uint64_t slowest_ns; /* longest time of passing one buffer */
    uint32_t enabled;    /* kinds, as bits */
    int is_subscribed, n_flushes;
    int blocks;    /* set by a program: FlushAll does not return while this is set */
    int n_blocked; /* number of calls that wait for this */
} MsptiDoubleState;

/* Plays one line of words; times are offsets from `base` in ns. Lines for one record:
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
 * Lines for an action of a program, for which the double makes the records and their ids
 * (launches.h):
 *   launch THREAD DEVICE STREAM TYPE NAME BEGIN DURATION
 *   call KIND THREAD NAME BEGIN DURATION           ends with the thread's latest launch
 *   collective THREAD DEVICE STREAM NAME GROUP AT BEGIN DURATION    its call is made at AT
 *   enqueue DEVICE STREAM TYPE NAME DURATION       for a consumer thread to launch
 *   dequeue THREAD AT BEGIN                        the calls are made at AT, its kernel begins
 *   push SORT ID, pop SORT                         one stack for all threads
 *
 * Calls of the node level are records of kind 11 and of kind 3, if these are enabled; if only kind
 * 3 is enabled, a line "api 11" makes a record of kind 3. "-" is an empty text, "NULL" no text.
 * Returns 0; -1: the line is wrong. */
typedef int MsptiDoublePlay(const char *line, uint64_t base);

/* Plays many kernels, on 4 streams of 2 devices, with ids from `first` on, one every `step_ns`. */
typedef void MsptiDoubleKernels(uint64_t n, uint64_t first, uint64_t base, uint64_t step_ns);

typedef MsptiDoubleState *MsptiDoubleGet(void);

#endif
