/* SPDX-License-Identifier: Apache-2.0 */
/* Moves the folder PLATFORM_<digits> out of a result directory. CANN's tool leaves it there if the
 * collector host_sys records "numa". */
#ifndef STROBE_TOOLS_PLATFORM_FOLDER_H
#define STROBE_TOOLS_PLATFORM_FOLDER_H

#include <glib.h>

/* Removes the platform folder if it is empty, otherwise moves it next to the result directory as
 * PLATFORM_<time of the result>. Call this after an analysis. `folder` is the descriptor of the
 * result directory, `path` its path. If the name of the result contains no time, or the new name
 * exists, the platform folder stays, and a message is printed. */
void strobe_platform_folder_move(int folder, const char *path);

#endif
