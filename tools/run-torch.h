/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the bridge to PyTorch for a command that will run. */
#ifndef STROBE_TOOLS_RUN_TORCH_H
#define STROBE_TOOLS_RUN_TORCH_H

#include "config.h"
#include "registry.h"

/* Whether one of the collectors loads the bridge. */
gboolean strobe_run_needs_bridge(const StrobeConfig *config);

/* Builds the bridge if the command's Python has a PyTorch without a bridge, as STROBE_TORCH_BUILD
 * requests. Prints errors; the command runs in any case. TRUE: a process of the command may still
 * build a missing bridge, for a Python that can be found only in that process
 * (python/strobe/run/torch_bridge.py). FALSE: no process may, because the bridge is being built
 * already, or because of a reason that was printed. */
gboolean strobe_run_torch(StrobeRegistry *registry, char *const *command);

#endif
