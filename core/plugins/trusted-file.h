/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens files that Strobe obeys: plugins and watched configurations. Trusted are root, the user and
 * the owner of this Strobe. Any thread.
 */
#ifndef STROBE_CORE_TRUSTED_FILE_H
#define STROBE_CORE_TRUSTED_FILE_H

#include <strobe/strobe.h>

/* Opens the regular file `path` for reading if only the trusted can change it: they own it, its
 * folder and all folders above, and others may not write there. A folder above its own may be
 * writable if it is sticky, as /tmp is: others cannot replace what lies there. A folder above this
 * Strobe is trusted as Strobe is. The last name of `path` must not be a symbolic link. Does not
 * wait for a FIFO. Returns the descriptor (close-on-exec); -1: `fault` is the reason in one
 * sentence that names the file (free() it). */
STROBE_API int strobe_trusted_open(const char *path, char **fault);

/* The same for a folder, whose descriptor is an O_PATH one. */
STROBE_API int strobe_trusted_open_folder(const char *path, char **fault);

/* The file that this code was loaded from (g_free() it), NULL if that is not known. */
char *strobe_own_file(void);

#endif
