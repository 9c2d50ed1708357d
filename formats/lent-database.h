/* SPDX-License-Identifier: Apache-2.0 */
/* Lets SQLite use a database file that the caller has opened. SQLite then neither looks for nor
 * makes any other file, takes no lock and syncs nothing. The caller decides how the file's bytes
 * are read and written. */
#ifndef STROBE_FORMATS_LENT_DATABASE_H
#define STROBE_FORMATS_LENT_DATABASE_H

#include <sqlite3.h>

/* Initializers of the members of sqlite3_io_methods that are the same for all lent files. */
#define LENT_FILE_METHODS                                                                          \
    .iVersion = 1, .xSync = lent_file_sync, .xLock = lent_file_lock, .xUnlock = lent_file_lock,    \
    .xCheckReservedLock = lent_file_check_lock, .xFileControl = lent_file_control,                 \
    .xSectorSize = lent_file_sector_size

int lent_file_sync(sqlite3_file *file, int flags);
int lent_file_lock(sqlite3_file *file, int level);
int lent_file_check_lock(sqlite3_file *file, int *is_locked);
int lent_file_control(sqlite3_file *file, int operation, void *argument);
int lent_file_sector_size(sqlite3_file *file);

/* Opens the database `name` in the file system `vfs`. The caller sets zName, szOsFile, pAppData and
 * xOpen of `vfs`; this function sets its other members. `vfs` must live as long as the connection.
 * Returns an SQLite code; close `sql` in any case. */
int lent_database_open(sqlite3_vfs *vfs, const char *name, int flags, sqlite3 **sql);

#endif
