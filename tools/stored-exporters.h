/* SPDX-License-Identifier: Apache-2.0 */
/* The exporters that a result was recorded with. */
#ifndef STROBE_TOOLS_STORED_EXPORTERS_H
#define STROBE_TOOLS_STORED_EXPORTERS_H

#include "config.h"
#include "held-result.h"
#include "registry.h"

/* As a configuration; the default ones if the capture does not say. Its options that name files are
 * ignored, with a message. `also`: exporters besides, as --export names them; NULL: none. */
StrobeConfig *strobe_stored_exporters(StrobeRegistry *registry, const StrobeHeldResult *held,
                                      char **also, GError **error);

#endif
