/* SPDX-License-Identifier: Apache-2.0 */
#include "out-vfs.h"

#include <errno.h>
#include <glib.h>
#include <strobe/helpers/file-part.h>
#include <strobe/helpers/safe-file.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lent-database.h"

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

static int size_file(sqlite3_file *file, sqlite3_int64 *size)
{
    File *f = (File *)file;
    struct stat st;

    if (fstat(f->descriptor, &st))
        return failed(f, SQLITE_IOERR_FSTAT, errno);
    *size = st.st_size;
    return SQLITE_OK;
}

static int characteristics(sqlite3_file *file)
{
    return 0;
}

static const sqlite3_io_methods methods = {
    LENT_FILE_METHODS,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xFileSize = size_file,
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

OutVfs *out_vfs_open(int descriptor, int directory, sqlite3 **sql, int *error)
{
    OutVfs *out = g_new0(OutVfs, 1);
    int code;

    out->descriptor = descriptor;
    out->directory = directory;
    g_snprintf(out->name, sizeof out->name, "strobe-out-%p", (void *)out);
    out->vfs.zName = out->name;
    out->vfs.szOsFile = (int)sizeof(File);
    out->vfs.pAppData = out;
    out->vfs.xOpen = open_file;
    code = lent_database_open(&out->vfs, descriptor < 0 ? "" : "out",
                              SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, sql);
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
