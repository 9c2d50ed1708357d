/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_FUNCTION_H
#define STROBE_PASSES_FUNCTION_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps function_ops;

#endif
