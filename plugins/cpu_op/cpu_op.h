/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the cpu_op collector. */
#ifndef STROBE_PLUGINS_CPU_OP_H
#define STROBE_PLUGINS_CPU_OP_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_cpu_op_ops;

#endif
