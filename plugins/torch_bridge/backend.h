/* SPDX-License-Identifier: Apache-2.0 */
/* The backend file for a libtorch: its name, whether one is there, and loading it. Of all
 * collectors that record what PyTorch does. */
#ifndef STROBE_PLUGINS_BACKEND_H
#define STROBE_PLUGINS_BACKEND_H

#include <strobe/collector.h>

#include "libtorch.h"

#define STROBE_BACKEND_HINT "\"strobe torch build\" builds it"

/* Is there a backend for the libtorch of this id (NULL: for any)? Looks beside the plugin, in the
 * user's folder and in STROBE_PLUGIN_PATH, and at names only. */
int strobe_backend_exists(const char *id);

/* A collector's probe: whether there is a backend for the libtorch of this process, or for any. */
void strobe_backend_probe(uint32_t question, StrobeProbe *answer);

/* Loads the backend for `libtorch` and finds its table `symbol`, whose first member is its size, at
 * least `least_size`. On failure the cause was given to the host; STROBE_AGAIN: there is no backend
 * yet, and the Python of this process may build it. */
StrobeStatus strobe_backend_load(const StrobeHost *host, StrobeInstance *self,
                                 const StrobeLibtorch *libtorch, const char *symbol,
                                 size_t least_size, const void **table);

#endif
