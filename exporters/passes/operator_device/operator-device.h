/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_OPERATOR_DEVICE_H
#define STROBE_PASSES_OPERATOR_DEVICE_H

#include <strobe/exporter.h>

/* Indexes of the kinds in the component's list. */
enum { OPERATOR_DEVICE, KERNEL_LINK, STEP_RANGE };

extern const StrobeConsumerOps operator_device_ops;

#endif
