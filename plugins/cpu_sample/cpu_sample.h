/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_CPU_SAMPLE_CPU_SAMPLE_H
#define STROBE_CPU_SAMPLE_CPU_SAMPLE_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_cpu_sample_ops;

#endif
