/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_FORWARD_BACKWARD_H
#define STROBE_PASSES_FORWARD_BACKWARD_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps forward_backward_ops;

#endif
