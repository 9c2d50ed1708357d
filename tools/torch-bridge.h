/* SPDX-License-Identifier: Apache-2.0 */
/* The bridge to PyTorch, which cpu_op, memory and marker load: found, or compiled. */
#ifndef STROBE_TOOLS_TORCH_BRIDGE_H
#define STROBE_TOOLS_TORCH_BRIDGE_H

#include "registry.h"
#include "torch-library.h"

/* What STROBE_TORCH_BUILD asks for where a bridge is missing. */
typedef enum StrobeBridgeMode {
    STROBE_BRIDGE_WAIT,       /* build it before the program goes on */
    STROBE_BRIDGE_BACKGROUND, /* build it meanwhile */
    STROBE_BRIDGE_NEVER
} StrobeBridgeMode;

/* Complains of an unknown value, which is taken for the default. */
StrobeBridgeMode strobe_bridge_mode(void);

/* The bridge of this Strobe to that PyTorch in the search path or the cache (free it), NULL: there
 * is none, and `error`, unless NULL, has the reason. */
char *strobe_bridge_find(StrobeRegistry *registry, const StrobeTorch *torch, GError **error);

/* Whether there is a C++ compiler ($CXX, else c++). */
gboolean strobe_bridge_check_compiler(GError **error);

typedef struct StrobeBridgeBuild {
    const char *folder;      /* where to; NULL: the cache, which is made, for this user alone */
    StrobeRegistry *missing; /* build only if there is none: in the folder; in the cache and what
                              * this finds, without a folder. NULL: build in any case */
    gboolean shows_compiler; /* the whole of what the compiler says, and what it was asked */
} StrobeBridgeBuild;

/* Whether there is a bridge already that makes the build needless. */
gboolean strobe_bridge_is_needless(const StrobeTorch *torch, const StrobeBridgeBuild *build);

/* Builds the bridge, with progress and the end on stderr. One process at a time builds in a folder,
 * others wait for it; a file appears whole or not at all. */
gboolean strobe_bridge_build(const StrobeTorch *torch, const StrobeBridgeBuild *build,
                             GError **error);

#endif
