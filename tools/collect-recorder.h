/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_TOOLS_COLLECT_RECORDER_H
#define STROBE_TOOLS_COLLECT_RECORDER_H

#include "board-properties.h"
#include "collect-request.h"

/* Who records on the board `name`: *kit is the recorder that goes along (free it), NULL for the
 * vendor's runtime. FALSE: the error; the one that is asked for is not possible. */
gboolean strobe_collect_choose_recorder(const StrobeCollectRequest *request,
                                        const StrobeBoardProperties *properties, const char *name,
                                        char **kit, GError **error);

#endif
