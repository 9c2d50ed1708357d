/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of the host by thread, independent of their names, to find the one around a time. Nested
 * spans are dropped, and the oldest of a thread if there are too many. */
#ifndef STROBE_PASSES_HOST_SPANS_H
#define STROBE_PASSES_HOST_SPANS_H

#include <glib.h>
#include <strobe/exporter.h>

#define HOST_SPANS_MAX 262144u /* of a thread */
#define HOST_THREADS_MAX 4096u

typedef struct HostSpans HostSpans;

HostSpans *host_spans_new(void);
void host_spans_free(HostSpans *spans);

/* In the order of their ends, with few exceptions. */
void host_spans_add(HostSpans *spans, guint64 thread, gint64 begin_ns, gint64 end_ns, guint64 id);
/* The id of the outermost span around a time; FALSE if there is none. */
gboolean host_spans_find(const HostSpans *spans, guint64 thread, gint64 at_ns, guint64 *id);
gboolean host_spans_is_empty(const HostSpans *spans);

#endif
