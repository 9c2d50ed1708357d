/* SPDX-License-Identifier: Apache-2.0 */
/* Collects metadata about the process and its machine. */
#ifndef STROBE_PLUGINS_MACHINE_METADATA_H
#define STROBE_PLUGINS_MACHINE_METADATA_H

#include <stddef.h>

/* Receives one entry. The texts are valid only during the call. */
typedef void (*StrobeMetadataEntrySink)(void *user, const char *key, const char *value,
                                        size_t length, int is_json);

/* Passes each entry that can be read to `sink`. Omits other entries. */
void strobe_metadata_collect(StrobeMetadataEntrySink sink, void *user);

#endif
