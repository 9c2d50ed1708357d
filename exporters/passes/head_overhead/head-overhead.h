/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_HEAD_OVERHEAD_H
#define STROBE_PASSES_HEAD_OVERHEAD_H

#include <strobe/strobe-plugin.h>

/* Places of the kinds in the component's list. */
enum { HEAD_INFERENCE, HEAD_STEP, HEAD_SUMMARY, HEAD_ADVICE, HEAD_KINDS };

extern const StrobeConsumerOps head_overhead_ops;

#endif
