/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PPROF_PPROF_H
#define STROBE_PPROF_PPROF_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps pprof_ops;

#endif
