/* SPDX-License-Identifier: Apache-2.0 */
/* Finds or compiles the bridge to PyTorch, which cpu_op, memory and marker load. */
#ifndef STROBE_TOOLS_TORCH_BRIDGE_H
#define STROBE_TOOLS_TORCH_BRIDGE_H

#include "registry.h"
#include "torch-library.h"

/* The action of STROBE_TORCH_BUILD if a bridge is missing. */
typedef enum StrobeBridgeMode {
    STROBE_BRIDGE_WAIT,       /* build it before the program continues */
    STROBE_BRIDGE_BACKGROUND, /* build it meanwhile */
    STROBE_BRIDGE_NEVER
} StrobeBridgeMode;

/* Warns of an unknown value and uses the default. */
StrobeBridgeMode strobe_bridge_mode(void);

/* The bridge of this Strobe to that PyTorch in the search path or the cache (free it), NULL:
 * none, with the reason in `error`, unless that is NULL. */
char *strobe_bridge_find(StrobeRegistry *registry, const StrobeTorch *torch, GError **error);

/* Whether there is a C++ compiler ($CXX, default c++). */
gboolean strobe_bridge_check_compiler(GError **error);

typedef struct StrobeBridgeBuild {
    const char *folder;      /* target folder; NULL: the cache, created for this user only */
    StrobeRegistry *missing; /* build only if there is none: in the folder, or without a folder
                              * in the cache and in this registry's folders. NULL: build in any
                              * case */
    gboolean shows_compiler; /* print the compiler's whole output, and its command */
} StrobeBridgeBuild;

/* Whether an existing bridge makes the build unnecessary. */
gboolean strobe_bridge_is_needless(const StrobeTorch *torch, const StrobeBridgeBuild *build);

/* Builds the bridge, with progress and result on stderr. One process at a time builds in a
 * folder, others wait; a file appears complete or not at all. */
gboolean strobe_bridge_build(const StrobeTorch *torch, const StrobeBridgeBuild *build,
                             GError **error);

#endif
