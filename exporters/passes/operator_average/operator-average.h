/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_OPERATOR_AVERAGE_H
#define STROBE_PASSES_OPERATOR_AVERAGE_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps operator_average_ops;

#endif
