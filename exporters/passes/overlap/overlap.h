/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_OVERLAP_H
#define STROBE_PASSES_OVERLAP_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps overlap_ops;

#endif
