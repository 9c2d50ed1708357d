/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_OPERATOR_TREE_H
#define STROBE_PASSES_OPERATOR_TREE_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps operator_tree_ops;

#endif
