/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_STACKS_STACKS_H
#define STROBE_STACKS_STACKS_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps stacks_ops;

#endif
