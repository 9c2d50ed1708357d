/* SPDX-License-Identifier: Apache-2.0 */
/* Spans that end in any order, on any thread. StrobeHost documents the calls. */
#ifndef STROBE_CORE_ASYNC_SPAN_H
#define STROBE_CORE_ASYNC_SPAN_H

#include "thread-buffer.h"

int32_t strobe_thread_buffer_async_open(StrobeInstance *self, uint64_t key, uint32_t kind,
                                        const char *name, uint64_t argument);
int32_t strobe_thread_buffer_async_close(StrobeInstance *self, uint64_t key, uint32_t kind,
                                         const void *fields, size_t size);

#endif
