/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the records of a window into one trace. */
#ifndef STROBE_CHROME_TRACE_CHROME_TRACE_H
#define STROBE_CHROME_TRACE_CHROME_TRACE_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps chrome_trace_ops;

#endif
