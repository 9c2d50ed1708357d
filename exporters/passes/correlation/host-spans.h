/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the outermost spans of each host thread, to find the span that contains a given time. Drops
 * the oldest spans of a thread that has more than HOST_SPANS_MAX. */
#ifndef STROBE_PASSES_HOST_SPANS_H
#define STROBE_PASSES_HOST_SPANS_H

#include <glib.h>
#include <strobe/exporter.h>

#define HOST_SPANS_MAX 262144u /* maximum number of spans for each thread */
#define HOST_THREADS_MAX 4096u

typedef struct HostSpans HostSpans;

HostSpans *host_spans_new(void);
void host_spans_free(HostSpans *spans);

/* Adds a span. The caller should add spans in the order of their ends; a few may be late. */
void host_spans_add(HostSpans *spans, guint64 thread, gint64 begin_ns, gint64 end_ns, guint64 id);
/* Sets `id` to that of the outermost span that contains the time `at_ns`. Returns FALSE if there is
 * none. */
gboolean host_spans_find(const HostSpans *spans, guint64 thread, gint64 at_ns, guint64 *id);
gboolean host_spans_is_empty(const HostSpans *spans);

#endif
