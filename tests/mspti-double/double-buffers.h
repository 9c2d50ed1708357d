/* SPDX-License-Identifier: Apache-2.0 */
/* Fills buffers and passes them to the program's callback. Like the library, the double holds a
 * lock while it calls callbacks. */
#ifndef STROBE_TESTS_MSPTI_BUFFERS_H
#define STROBE_TESTS_MSPTI_BUFFERS_H

#include <stddef.h>

#include "mspti-double.h"

typedef void (*MsptiDoubleRequest)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*MsptiDoubleComplete)(uint8_t *buffer, size_t size, size_t valid);

extern MsptiDoubleState mspti_double_state;

/* A kind whose size only the library's own function knows. */
#define DOUBLE_NEWER_KIND 13
#define DOUBLE_NEWER_BYTES 40

/* Returns the size of a record of this kind; 0: there is no such kind. */
size_t double_size_of(uint32_t kind);

void double_hold(void);
void double_give(void);

/* The caller of the functions below must hold the lock. */
void double_set_callbacks(MsptiDoubleRequest request, MsptiDoubleComplete complete);
/* Writes a record into the current buffer if its kind is enabled. With the fault lag=MS, a record
 * of a device is written later. */
void double_tell(const uint8_t *record, int kind);
void double_flush(void);
/* Returns the number of records that were dropped after the last call although there was a
 * buffer. */
size_t double_take_dropped(void);
uint64_t double_now_ns(int is_realtime);

#endif
