/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the metadata collector. */
#ifndef STROBE_PLUGINS_METADATA_H
#define STROBE_PLUGINS_METADATA_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_metadata_ops;

#endif
