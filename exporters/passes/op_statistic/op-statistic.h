/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_OP_STATISTIC_H
#define STROBE_PASSES_OP_STATISTIC_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps op_statistic_ops;

#endif
