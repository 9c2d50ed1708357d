/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the process groups of torch.distributed from Python; libtorch does not have this
 * information. */
#ifndef STROBE_PLUGINS_PROCESS_GROUPS_H
#define STROBE_PLUGINS_PROCESS_GROUPS_H

#include "machine-metadata.h"

/* Passes the entry "distributedInfo" to `sink`, if the process has or had groups. Must be called on
 * the control thread. */
void process_groups_collect(StrobeMetadataEntrySink sink, void *user);

#endif
