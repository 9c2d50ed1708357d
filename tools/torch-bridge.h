/* SPDX-License-Identifier: Apache-2.0 */
/* Finds or compiles the bridge to PyTorch, which cpu_op, memory and marker load. */
#ifndef STROBE_TOOLS_TORCH_BRIDGE_H
#define STROBE_TOOLS_TORCH_BRIDGE_H

#include "registry.h"
#include "torch-library.h"

/* The action if a bridge is missing, from STROBE_TORCH_BUILD. */
typedef enum StrobeBridgeMode {
    STROBE_BRIDGE_WAIT,       /* build it before the program continues */
    STROBE_BRIDGE_BACKGROUND, /* build it while the program runs */
    STROBE_BRIDGE_NEVER
} StrobeBridgeMode;

/* Reads STROBE_TORCH_BUILD. Prints a warning about an unknown value, and uses the default. */
StrobeBridgeMode strobe_bridge_mode(void);

/* Returns the path of the bridge of this Strobe version to this PyTorch, which may be in the search
 * path for plugins or in the cache (free it). NULL: there is none; `error` (may be NULL) has the
 * reason. */
char *strobe_bridge_find(StrobeRegistry *registry, const StrobeTorch *torch, GError **error);

/* Whether there is a C++ compiler ($CXX, default c++). */
gboolean strobe_bridge_check_compiler(GError **error);

typedef struct StrobeBridgeBuild {
    /* folder for the bridge; NULL: the cache, which is created for this user only */
    const char *folder;
    /* build only if there is no bridge in the folder or, without a folder, in the cache and the
     * folders of this registry. NULL: always build */
    StrobeRegistry *missing;
    gboolean shows_compiler; /* print the compiler's whole output, and its command */
} StrobeBridgeBuild;

/* Whether an existing bridge makes the build unnecessary. */
gboolean strobe_bridge_is_needless(const StrobeTorch *torch, const StrobeBridgeBuild *build);

/* Builds the bridge; prints progress and the result on stderr. In each folder only one process at a
 * time builds, and others wait. The file appears complete or not at all. */
gboolean strobe_bridge_build(const StrobeTorch *torch, const StrobeBridgeBuild *build,
                             GError **error);

#endif
