/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the opencl collector. */
#ifndef STROBE_PLUGINS_OPENCL_OPENCL_H
#define STROBE_PLUGINS_OPENCL_OPENCL_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_opencl_ops;

#endif
