/* SPDX-License-Identifier: Apache-2.0 */
/* Renames folders without replacing an existing folder. libc only. */
#ifndef STROBE_CORE_FOLDER_RENAME_H
#define STROBE_CORE_FOLDER_RENAME_H

/* Renames the folder `from`, below the open folder `from_in`, to `to` below `to_in`; AT_FDCWD is
 * allowed, and absolute paths. On a file system that cannot refuse to replace, such as NFS, an
 * empty folder `to` exists for a moment. Returns 0, or -1 with errno: EEXIST if `to` exists. */
int strobe_rename_folder(int from_in, const char *from, int to_in, const char *to);

#endif
