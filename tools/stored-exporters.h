/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the exporters with which a result was recorded. */
#ifndef STROBE_TOOLS_STORED_EXPORTERS_H
#define STROBE_TOOLS_STORED_EXPORTERS_H

#include "config.h"
#include "held-result.h"
#include "registry.h"

/* Returns a configuration with the exporters that the capture names, or the default ones if it
 * names none. Ignores options that name files, with a message. `also`: additional exporters, as
 * --export names them; NULL: none. NULL with an error. */
StrobeConfig *strobe_stored_exporters(StrobeRegistry *registry, const StrobeHeldResult *held,
                                      char **also, GError **error);

#endif
