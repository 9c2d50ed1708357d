/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_API_STATISTIC_H
#define STROBE_PASSES_API_STATISTIC_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps api_statistic_ops;

#endif
