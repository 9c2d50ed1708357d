/* SPDX-License-Identifier: Apache-2.0 */
/* A VFS of SQLite for a file that is already open. It never writes or locks the file. It neither
 * looks for other files of the database (log, journal) nor creates any. A truncated file reads as
 * zeros up to the length in its header, so the tables before the cut stay readable. */
#ifndef STROBE_ASCEND_DB_DESCRIPTOR_VFS_H
#define STROBE_ASCEND_DB_DESCRIPTOR_VFS_H

#include <glib.h>
#include <sqlite3.h>

/* Opens the database of the descriptor, which must stay open as long as the connection. Returns a
 * code of SQLite. The caller closes `sql` even after an error. */
int descriptor_vfs_open(int descriptor, sqlite3 **sql);

/* Returns the length in the header; 0 if the last change did not update it. */
gint64 descriptor_vfs_reported_bytes(int descriptor);

#endif
