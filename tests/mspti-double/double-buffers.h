/* SPDX-License-Identifier: Apache-2.0 */
/* The buffers that the double fills and hands over; as the library's, with a lock held that its
 * callbacks come under. */
#ifndef STROBE_TESTS_MSPTI_BUFFERS_H
#define STROBE_TESTS_MSPTI_BUFFERS_H

#include <stddef.h>

#include "mspti-double.h"

typedef void (*MsptiDoubleRequest)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*MsptiDoubleComplete)(uint8_t *buffer, size_t size, size_t valid);

extern MsptiDoubleState mspti_double_state;

/* A kind that nothing but the library's own function knows the size of. */
#define DOUBLE_NEWER_KIND 13
#define DOUBLE_NEWER_BYTES 40

/* Of a record of this kind; 0: there is no such kind. */
size_t double_size_of(uint32_t kind);

void double_hold(void);
void double_give(void);

/* The rest with the lock held. */
void double_set_callbacks(MsptiDoubleRequest request, MsptiDoubleComplete complete);
/* A record into the present buffer, if its kind is enabled; or later, where a device is late. */
void double_tell(const uint8_t *record, int kind);
void double_flush(void);
/* Records that have been dropped since the last call, with a buffer at hand. */
size_t double_take_dropped(void);
uint64_t double_now_ns(int is_realtime);

#endif
