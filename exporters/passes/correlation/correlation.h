/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_CORRELATION_H
#define STROBE_PASSES_CORRELATION_H

#include <strobe/exporter.h>

enum { CORRELATION_LINKS, CORRELATION_CLOCK }; /* indexes of the kinds in the component's list */

extern const StrobeConsumerOps correlation_ops;

#endif
