/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's view of a file that was created already, under a temporary name: nothing is made beside
 * it, no lock taken; scratch files have no name and lie in the same folder. */
#ifndef STROBE_DB_OUT_VFS_H
#define STROBE_DB_OUT_VFS_H

#include <sqlite3.h>

typedef struct OutVfs OutVfs;

/* Opens the database on the descriptor, which is lent, as `directory` is, the folder for temporary
 * files. -1: an empty one that is itself a temporary file. NULL and an errno value if that cannot
 * be. The file system lives until out_vfs_free, the database must be closed before. */
OutVfs *out_vfs_open(int descriptor, int directory, sqlite3 **sql, int *error);
void out_vfs_free(OutVfs *vfs);

/* errno of the first operation that failed, 0: none did. */
int out_vfs_error(const OutVfs *vfs);

#endif
