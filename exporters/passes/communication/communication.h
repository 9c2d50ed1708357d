/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_COMMUNICATION_H
#define STROBE_PASSES_COMMUNICATION_H

#include <strobe/exporter.h>

/* Indexes of the kinds in the component's list. */
enum { COMMUNICATION_TIME, COMMUNICATION_BANDWIDTH, COMMUNICATION_MATRIX };

extern const StrobeConsumerOps communication_ops;

#endif
