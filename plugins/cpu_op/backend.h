/* SPDX-License-Identifier: Apache-2.0 */
/* The backend file for a libtorch: its name, whether one is there, and loading it. */
#ifndef STROBE_PLUGINS_BACKEND_H
#define STROBE_PLUGINS_BACKEND_H

#include <strobe/collector.h>

#include "../common/libtorch.h"
#include "torch_backend.h"

#define STROBE_BACKEND_HINT "Compile one for your own PyTorch: strobe torch build"

/* Is there a backend for the libtorch of this id (NULL: for any)? Looks beside the plugin, in the
 * user's folder and in STROBE_PLUGIN_PATH, and at names only. */
int strobe_backend_exists(const char *id);

/* Loads the backend for `libtorch`. On failure the cause was given to the host. */
StrobeStatus strobe_backend_load(const StrobeHost *host, StrobeInstance *self,
                                 const StrobeLibtorch *libtorch,
                                 const StrobeTorchBackend **backend);

#endif
