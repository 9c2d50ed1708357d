/* SPDX-License-Identifier: Apache-2.0 */
#include "lent-database.h"

#include <string.h>

/* ---- files ---- */

/* Does nothing: the owner of the file syncs it, if necessary. */
int lent_file_sync(sqlite3_file *file, int flags)
{
    return SQLITE_OK;
}

int lent_file_lock(sqlite3_file *file, int level)
{
    return SQLITE_OK;
}

int lent_file_check_lock(sqlite3_file *file, int *is_locked)
{
    *is_locked = 0;
    return SQLITE_OK;
}

int lent_file_control(sqlite3_file *file, int operation, void *argument)
{
    return SQLITE_NOTFOUND;
}

int lent_file_sector_size(sqlite3_file *file)
{
    return 4096;
}

/* ---- the file system ---- */

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync_folder)
{
    return SQLITE_IOERR_DELETE_NOENT;
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
    *result = 0;
    return SQLITE_OK;
}

static int full_path(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    const size_t length = strlen(name);

    if (length >= (size_t)size)
        return SQLITE_CANTOPEN;
    memcpy(out, name, length + 1);
    return SQLITE_OK;
}

/* Sets the remaining members to the functions of the system's file system: time, randomness and so
 * on. */
static void complete_vfs(sqlite3_vfs *vfs, const sqlite3_vfs *system)
{
    const sqlite3_vfs own = *vfs;

    *vfs = *system;
    vfs->iVersion = system->iVersion < 2 ? system->iVersion : 2;
    vfs->szOsFile = own.szOsFile > system->szOsFile ? own.szOsFile : system->szOsFile;
    vfs->pNext = NULL;
    vfs->zName = own.zName;
    vfs->pAppData = own.pAppData;
    vfs->xOpen = own.xOpen;
    vfs->xDelete = delete_file;
    vfs->xAccess = access_file;
    vfs->xFullPathname = full_path;
}

int lent_database_open(sqlite3_vfs *vfs, const char *name, int flags, sqlite3 **sql)
{
    const sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    int code;

    *sql = NULL;
    if (!system)
        return SQLITE_ERROR;
    complete_vfs(vfs, system);
    /* The file system is registered only during this call, because the plugin may be unloaded
     * before SQLite is unloaded. */
    code = sqlite3_vfs_register(vfs, 0);
    if (code == SQLITE_OK)
        code = sqlite3_open_v2(name, sql, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
                               vfs->zName);
    sqlite3_vfs_unregister(vfs);
    return code;
}
