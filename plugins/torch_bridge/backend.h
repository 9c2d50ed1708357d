/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and loads the backend file for a libtorch. All collectors that record PyTorch share these
 * functions. */
#ifndef STROBE_PLUGINS_BACKEND_H
#define STROBE_PLUGINS_BACKEND_H

#include <strobe/collector.h>

#include "libtorch.h"

#define STROBE_BACKEND_HINT "\"strobe torch build\" builds it"

/* Returns whether there is a backend for the libtorch with this id (NULL: for any libtorch).
 * Compares only names of files, in the plugin's folder, the user's folders and
 * STROBE_PLUGIN_PATH. */
int strobe_backend_exists(const char *id);

/* Probe of a collector: returns whether there is a backend for the libtorch of this process, or for
 * any libtorch. */
void strobe_backend_probe(uint32_t question, StrobeProbe *answer);

/* Loads the backend for `libtorch` and finds its table `symbol`. The first member of the table is
 * its size, which must be at least `least_size`. On failure, reports the cause to the host. Returns
 * STROBE_AGAIN if there is no backend yet, but this process's Python may build one. */
StrobeStatus strobe_backend_load(const StrobeHost *host, StrobeInstance *self,
                                 const StrobeLibtorch *libtorch, const char *symbol,
                                 size_t least_size, const void **table);

#endif
