/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_HEAD_OVERHEAD_H
#define STROBE_PASSES_HEAD_OVERHEAD_H

#include <strobe/strobe-plugin.h>

extern const StrobeConsumerOps head_overhead_ops;

#endif
