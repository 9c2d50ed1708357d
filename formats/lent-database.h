/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's access to a database file that the caller has opened: it looks for and makes no other
 * files, takes no lock and syncs nothing. The owner of the file decides how its bytes are read and
 * written. */
#ifndef STROBE_FORMATS_LENT_DATABASE_H
#define STROBE_FORMATS_LENT_DATABASE_H

#include <sqlite3.h>

/* The common part of an sqlite3_io_methods for such files. */
#define LENT_FILE_METHODS                                                                          \
    .iVersion = 1, .xSync = lent_file_sync, .xLock = lent_file_lock, .xUnlock = lent_file_lock,    \
    .xCheckReservedLock = lent_file_check_lock, .xFileControl = lent_file_control,                 \
    .xSectorSize = lent_file_sector_size

int lent_file_sync(sqlite3_file *file, int flags);
int lent_file_lock(sqlite3_file *file, int level);
int lent_file_check_lock(sqlite3_file *file, int *is_locked);
int lent_file_control(sqlite3_file *file, int operation, void *argument);
int lent_file_sector_size(sqlite3_file *file);

/* Opens the database `name` in its own file system. The caller sets zName, szOsFile, pAppData
 * and xOpen of `vfs`; the function sets the rest. `vfs` must live as long as the connection.
 * Returns an SQLite code; close `sql` in any case. */
int lent_database_open(sqlite3_vfs *vfs, const char *name, int flags, sqlite3 **sql);

#endif
