/* SPDX-License-Identifier: Apache-2.0 */
/* Moves the folder PLATFORM_<digits> that CANN's tool leaves in a result directory (host_sys
 * "numa").
 */
#ifndef STROBE_TOOLS_PLATFORM_FOLDER_H
#define STROBE_TOOLS_PLATFORM_FOLDER_H

#include <glib.h>

/* Call this after an analysis. Removes the folder if it is empty, otherwise moves it next to the
 * result directory as PLATFORM_<time of the result>. `folder` is the descriptor of the result
 * directory, `path` its path. If the name of the result contains no time, or the new name exists,
 * the folder stays, and a message is printed. */
void strobe_platform_folder_move(int folder, const char *path);

#endif
