/* SPDX-License-Identifier: Apache-2.0 */
/* The process groups of torch.distributed, which only Python knows. */
#ifndef STROBE_PLUGINS_PROCESS_GROUPS_H
#define STROBE_PLUGINS_PROCESS_GROUPS_H

#include "machine-metadata.h"

/* Gives "distributedInfo" where the process has groups, or had some. Control thread. */
void process_groups_collect(StrobeMetadataEntrySink sink, void *user);

#endif
