/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about the process and its machine. */
#ifndef STROBE_PLUGINS_MACHINE_METADATA_H
#define STROBE_PLUGINS_MACHINE_METADATA_H

#include <stddef.h>

/* Takes one fact. The text is valid during the call only. */
typedef void (*StrobeMetadataEntrySink)(void *user, const char *key, const char *value,
                                        size_t length, int is_json);

/* Gives every fact that can be found out; others are left out. */
void strobe_metadata_collect(StrobeMetadataEntrySink sink, void *user);

#endif
