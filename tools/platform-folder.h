/* SPDX-License-Identifier: Apache-2.0 */
/* Moves the folder PLATFORM_<digits> that CANN's tool leaves in a result directory (host_sys
 * "numa").
 */
#ifndef STROBE_TOOLS_PLATFORM_FOLDER_H
#define STROBE_TOOLS_PLATFORM_FOLDER_H

#include <glib.h>

/* After an analysis, removes an empty folder, and moves any other one next to the result directory
 * as PLATFORM_<time of the result>. `folder` is the open result directory, `path` its path. If the
 * result's name has no time, or the new name exists, the folder stays, and a message says so. */
void strobe_platform_folder_move(int folder, const char *path);

#endif
