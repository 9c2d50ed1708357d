/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_TOOLS_COLLECT_RECORDER_H
#define STROBE_TOOLS_COLLECT_RECORDER_H

#include "board-properties.h"
#include "collect-request.h"

/* Chooses the recorder for the board `name`. Sets *kit to the path of Strobe's recorder (free it),
 * or to NULL if the vendor's runtime records. FALSE with an error: the requested recorder cannot be
 * used. */
gboolean strobe_collect_choose_recorder(const StrobeCollectRequest *request,
                                        const StrobeBoardProperties *properties, const char *name,
                                        char **kit, GError **error);

#endif
