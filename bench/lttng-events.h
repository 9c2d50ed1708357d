/* SPDX-License-Identifier: Apache-2.0 */
/* The two LTTng-UST events that correspond to a span: its begin and its end. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER strobe_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng-events.h"

#if !defined(STROBE_BENCH_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define STROBE_BENCH_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* clang-format off: the macros have a grammar of their own */
LTTNG_UST_TRACEPOINT_EVENT(strobe_bench, span_begin, LTTNG_UST_TP_ARGS(uint64_t, argument),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, argument,
                                                                       argument)))

LTTNG_UST_TRACEPOINT_EVENT(strobe_bench, span_end, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
