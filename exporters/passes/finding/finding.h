/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the finding pass. */
#ifndef STROBE_PASSES_FINDING_H
#define STROBE_PASSES_FINDING_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps finding_ops;

#endif
