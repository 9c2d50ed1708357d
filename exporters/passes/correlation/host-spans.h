/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the outermost spans of each thread of the host, to find the span around a time. Drops the
 * oldest spans of a thread that has too many. */
#ifndef STROBE_PASSES_HOST_SPANS_H
#define STROBE_PASSES_HOST_SPANS_H

#include <glib.h>
#include <strobe/exporter.h>

#define HOST_SPANS_MAX 262144u /* maximum number of a thread's spans */
#define HOST_THREADS_MAX 4096u

typedef struct HostSpans HostSpans;

HostSpans *host_spans_new(void);
void host_spans_free(HostSpans *spans);

/* Adds a span. Spans should arrive in the order of their ends; a few may arrive late. */
void host_spans_add(HostSpans *spans, guint64 thread, gint64 begin_ns, gint64 end_ns, guint64 id);
/* Finds the id of the outermost span around a time. FALSE: there is none. */
gboolean host_spans_find(const HostSpans *spans, guint64 thread, gint64 at_ns, guint64 *id);
gboolean host_spans_is_empty(const HostSpans *spans);

#endif
