/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_FLAMEGRAPH_FLAMEGRAPH_H
#define STROBE_FLAMEGRAPH_FLAMEGRAPH_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps flamegraph_ops;

#endif
