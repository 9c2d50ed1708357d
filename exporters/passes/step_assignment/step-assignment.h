/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_STEP_ASSIGNMENT_H
#define STROBE_PASSES_STEP_ASSIGNMENT_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps step_assignment_ops;

#endif
