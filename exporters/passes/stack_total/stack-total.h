/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_STACK_TOTAL_H
#define STROBE_PASSES_STACK_TOTAL_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps stack_total_ops;

#endif
