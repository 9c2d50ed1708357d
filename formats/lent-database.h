/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's view of a database file that the caller has opened: nothing is looked for or made
 * beside it, no lock is taken, nothing synced. How its bytes are read and written is up to whom the
 * file belongs to. */
#ifndef STROBE_FORMATS_LENT_DATABASE_H
#define STROBE_FORMATS_LENT_DATABASE_H

#include <sqlite3.h>

/* What all such files have in common of an sqlite3_io_methods. */
#define LENT_FILE_METHODS                                                                          \
    .iVersion = 1, .xSync = lent_file_sync, .xLock = lent_file_lock, .xUnlock = lent_file_lock,    \
    .xCheckReservedLock = lent_file_check_lock, .xFileControl = lent_file_control,                 \
    .xSectorSize = lent_file_sector_size

int lent_file_sync(sqlite3_file *file, int flags);
int lent_file_lock(sqlite3_file *file, int level);
int lent_file_check_lock(sqlite3_file *file, int *is_locked);
int lent_file_control(sqlite3_file *file, int operation, void *argument);
int lent_file_sector_size(sqlite3_file *file);

/* Opens the database `name` in a file system of its own: zName, szOsFile, pAppData and xOpen of
 * `vfs` are given, all else is put in. `vfs` must live as long as the connection. Returns an SQLite
 * code; `sql` is to be closed in any case. */
int lent_database_open(sqlite3_vfs *vfs, const char *name, int flags, sqlite3 **sql);

#endif
