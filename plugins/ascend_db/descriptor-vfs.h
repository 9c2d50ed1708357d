/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's view of a file that is open already: never written, never locked, nothing looked for or
 * made beside it. A file that is cut off reads as zeros up to the length that its header tells, so
 * that the tables before the cut can be read. */
#ifndef STROBE_ASCEND_DB_DESCRIPTOR_VFS_H
#define STROBE_ASCEND_DB_DESCRIPTOR_VFS_H

#include <glib.h>
#include <sqlite3.h>

/* Opens the database behind the descriptor, which must stay open as long as the connection. An
 * SQLite code; `sql` is to be closed in any case. */
int descriptor_vfs_open(int descriptor, sqlite3 **sql);

/* Length that the header tells; 0 if that was not written with the last change. */
gint64 descriptor_vfs_reported_bytes(int descriptor);

#endif
