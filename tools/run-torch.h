/* SPDX-License-Identifier: Apache-2.0 */
/* The bridge to the PyTorch of a command that is about to run. */
#ifndef STROBE_TOOLS_RUN_TORCH_H
#define STROBE_TOOLS_RUN_TORCH_H

#include "config.h"
#include "registry.h"

/* Whether one of the collectors loads the bridge. */
gboolean strobe_run_needs_bridge(const StrobeConfig *config);

/* Builds the bridge if the command is run by a Python whose PyTorch has none yet, as
 * STROBE_TORCH_BUILD asks. What cannot be done is said; the command runs all the same. TRUE: a
 * process of the command may build what is missing still, a Python that is found only there
 * (python/strobe/run/torch_bridge.py); FALSE: it has been said why not, or is being built. */
gboolean strobe_run_torch(StrobeRegistry *registry, char *const *command);

#endif
