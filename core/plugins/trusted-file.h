/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens files that Strobe trusts: plugins, and configurations that it watches for changes. Trusted
 * users are root, the current user and the owner of this Strobe. Any thread.
 */
#ifndef STROBE_CORE_TRUSTED_FILE_H
#define STROBE_CORE_TRUSTED_FILE_H

#include <strobe/strobe.h>

/* Opens the regular file `path` for reading if only trusted users can change it: trusted users own
 * the file, its folder and all folders above, and other users may not write there. A sticky folder
 * above the file's own folder, such as /tmp, may be writable, because a user cannot replace another
 * owner's entries in it. A folder above this Strobe is always trusted. The last name of `path` must
 * not be a symbolic link. Does not wait for a FIFO. Returns the descriptor (close-on-exec); -1:
 * `fault` is the reason in one sentence that names the file (free() it). */
STROBE_API int strobe_trusted_open(const char *path, char **fault);

/* Like strobe_trusted_open, for a folder; the descriptor is opened with O_PATH. */
STROBE_API int strobe_trusted_open_folder(const char *path, char **fault);

/* Returns the file from which this code was loaded (g_free() it), NULL if unknown. */
char *strobe_own_file(void);

#endif
