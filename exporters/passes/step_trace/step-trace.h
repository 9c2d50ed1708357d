/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_STEP_TRACE_H
#define STROBE_PASSES_STEP_TRACE_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps step_trace_ops;

#endif
