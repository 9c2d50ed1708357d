/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_KERNEL_DETAIL_H
#define STROBE_PASSES_KERNEL_DETAIL_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps kernel_detail_ops;

#endif
