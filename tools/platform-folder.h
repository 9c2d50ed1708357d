/* SPDX-License-Identifier: Apache-2.0 */
/* PLATFORM_<digits>, which a platform's own tool leaves in a result directory (host_sys "numa"). */
#ifndef STROBE_TOOLS_PLATFORM_FOLDER_H
#define STROBE_TOOLS_PLATFORM_FOLDER_H

#include <glib.h>

/* After an analysis: an empty one is removed, another one moved beside the result directory as
 * PLATFORM_<time of the result>. `folder` is the open result directory, `path` its path. It stays
 * where it is if the result's name has no time or the new name is taken, which is reported. */
void strobe_platform_folder_move(int folder, const char *path);

#endif
