/* SPDX-License-Identifier: Apache-2.0 */
#include "out-vfs.h"

#include <errno.h>
#include <glib.h>
#include <strobe/helpers/file-part.h>
#include <strobe/helpers/safe-file.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct OutVfs {
    sqlite3_vfs vfs;
    char name[40];
    int descriptor, directory;
    int error;
};

typedef struct File {
    sqlite3_file base;
    OutVfs *owner;
    int descriptor;
    StrobeSafeFile *scratch; /* NULL: the database, whose descriptor is lent */
} File;

static int failed(File *f, int code, int error)
{
    if (!f->owner->error)
        f->owner->error = error;
    return error == ENOSPC || error == EDQUOT ? SQLITE_FULL : code;
}

/* ---- files ---- */

static int close_file(sqlite3_file *file)
{
    strobe_safe_file_discard(((File *)file)->scratch);
    return SQLITE_OK;
}

static int read_file(sqlite3_file *file, void *out, int n, sqlite3_int64 offset)
{
    File *f = (File *)file;
    gint64 done = strobe_file_part_read(f->descriptor, (guint64)offset, out, (gsize)n);

    if (done < 0)
        return failed(f, SQLITE_IOERR_READ, errno);
    memset((char *)out + done, 0, (gsize)(n - done));
    return done == n ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int write_file(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 offset)
{
    File *f = (File *)file;
    int error = strobe_file_part_write(f->descriptor, (guint64)offset, bytes, (gsize)n);

    return error ? failed(f, SQLITE_IOERR_WRITE, error) : SQLITE_OK;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size)
{
    File *f = (File *)file;

    return ftruncate(f->descriptor, size) ? failed(f, SQLITE_IOERR_TRUNCATE, errno) : SQLITE_OK;
}

/* The whole file is synced before it gets its name. */
static int sync_file(sqlite3_file *file, int flags)
{
    return SQLITE_OK;
}

static int size_file(sqlite3_file *file, sqlite3_int64 *size)
{
    File *f = (File *)file;
    struct stat st;

    if (fstat(f->descriptor, &st))
        return failed(f, SQLITE_IOERR_FSTAT, errno);
    *size = st.st_size;
    return SQLITE_OK;
}

static int lock_file(sqlite3_file *file, int level)
{
    return SQLITE_OK;
}

static int check_lock(sqlite3_file *file, int *is_locked)
{
    *is_locked = 0;
    return SQLITE_OK;
}

static int control_file(sqlite3_file *file, int operation, void *argument)
{
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *file)
{
    return 4096;
}

static int characteristics(sqlite3_file *file)
{
    return 0;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = size_file,
    .xLock = lock_file,
    .xUnlock = lock_file,
    .xCheckReservedLock = check_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
};

/* ---- the file system ---- */

static int open_file(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                     int *out_flags)
{
    File *f = (File *)file;

    file->pMethods = NULL;
    *f = (File){.owner = vfs->pAppData};
    if (name && !(flags & SQLITE_OPEN_MAIN_DB))
        return SQLITE_CANTOPEN;
    f->descriptor = f->owner->descriptor;
    if (!name) {
        f->scratch = strobe_safe_file_plain_scratch(f->owner->directory);
        if (!f->scratch)
            return failed(f, SQLITE_CANTOPEN, errno);
        f->descriptor = strobe_safe_file_descriptor(f->scratch);
    }
    file->pMethods = &methods;
    if (out_flags)
        *out_flags = flags;
    return SQLITE_OK;
}

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
    return g_strlcpy(out, name, (gsize)size) < (gsize)size ? SQLITE_OK : SQLITE_CANTOPEN;
}

OutVfs *out_vfs_open(int descriptor, int directory, sqlite3 **sql, int *error)
{
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    OutVfs *out = g_new0(OutVfs, 1);
    int code = SQLITE_ERROR;

    *sql = NULL;
    out->descriptor = descriptor;
    out->directory = directory;
    g_snprintf(out->name, sizeof out->name, "strobe-out-%p", (void *)out);
    if (system) {
        out->vfs = *system;
        out->vfs.iVersion = MIN(system->iVersion, 2);
        out->vfs.szOsFile = (int)sizeof(File);
        out->vfs.pNext = NULL;
        out->vfs.zName = out->name;
        out->vfs.pAppData = out;
        out->vfs.xOpen = open_file;
        out->vfs.xDelete = delete_file;
        out->vfs.xAccess = access_file;
        out->vfs.xFullPathname = full_path;
        /* Known to SQLite for this one call: the plugin may be unloaded before SQLite is. */
        code = sqlite3_vfs_register(&out->vfs, 0);
        if (code == SQLITE_OK)
            code = sqlite3_open_v2(descriptor < 0 ? "" : "out", sql,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                       SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
                                   out->name);
        sqlite3_vfs_unregister(&out->vfs);
    }
    if (code == SQLITE_OK)
        return out;
    *error = out->error ? out->error : EIO;
    sqlite3_close(*sql);
    *sql = NULL;
    g_free(out);
    return NULL;
}

void out_vfs_free(OutVfs *vfs)
{
    g_free(vfs);
}

int out_vfs_error(const OutVfs *vfs)
{
    return vfs->error;
}
