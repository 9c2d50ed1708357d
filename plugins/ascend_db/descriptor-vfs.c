/* SPDX-License-Identifier: Apache-2.0 */
#include "descriptor-vfs.h"

#include <glib.h>
#include <strobe/helpers/file-part.h>
#include <string.h>
#include <unistd.h>

#include "lent-database.h"

typedef struct File {
    sqlite3_file base;
    int descriptor;
    gint64 bytes, reported_bytes; /* actual size, and size according to the header */
} File;

/* ---- files ---- */

static int close_file(sqlite3_file *file)
{
    return SQLITE_OK; /* the caller closes the descriptor */
}

static int read_file(sqlite3_file *file, void *out, int n, sqlite3_int64 offset)
{
    const File *f = (const File *)file;
    gint64 done = strobe_file_part_read(f->descriptor, (guint64)offset, out, (gsize)n);

    if (done < 0)
        return SQLITE_IOERR_READ;
    memset((char *)out + done, 0, (gsize)(n - done));
    return offset + n <= MAX(f->bytes, f->reported_bytes) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int write_file(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 offset)
{
    return SQLITE_READONLY;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size)
{
    return SQLITE_READONLY;
}

static int size_file(sqlite3_file *file, sqlite3_int64 *size)
{
    const File *f = (const File *)file;

    *size = MAX(f->bytes, f->reported_bytes);
    return SQLITE_OK;
}

static int get_characteristics(sqlite3_file *file)
{
    return SQLITE_IOCAP_IMMUTABLE;
}

static const sqlite3_io_methods methods = {
    LENT_FILE_METHODS,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xFileSize = size_file,
    .xDeviceCharacteristics = get_characteristics,
};

static guint32 read_u32(const guchar *at)
{
    return (guint32)at[0] << 24 | (guint32)at[1] << 16 | (guint32)at[2] << 8 | at[3];
}

gint64 descriptor_vfs_reported_bytes(int descriptor)
{
    guchar header[100] = {0};
    guint32 page;

    if (pread(descriptor, header, sizeof header, 0) != sizeof header ||
        memcmp(header + 24, header + 92, 4))
        return 0;
    page = (guint32)header[16] << 8 | header[17];
    return (gint64)read_u32(header + 28) * (page == 1 ? 65536 : page);
}

/* ---- the file system ---- */

static sqlite3_vfs *system_vfs(sqlite3_vfs *vfs)
{
    return vfs->pAppData;
}

/* Opens the database. The system's VFS opens SQLite's temporary files, which have no name. */
static int open_file(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                     int *out_flags)
{
    File *f = (File *)file;

    file->pMethods = NULL;
    if (!name)
        return system_vfs(vfs)->xOpen(system_vfs(vfs), name, file, flags, out_flags);
    if (!(flags & SQLITE_OPEN_MAIN_DB))
        return SQLITE_CANTOPEN;
    f->descriptor = (int)g_ascii_strtoll(name, NULL, 10);
    f->bytes = MAX(lseek(f->descriptor, 0, SEEK_END), 0);
    f->reported_bytes = descriptor_vfs_reported_bytes(f->descriptor);
    file->pMethods = &methods;
    if (out_flags)
        *out_flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
    return SQLITE_OK;
}

int descriptor_vfs_open(int descriptor, sqlite3 **sql)
{
    static sqlite3_vfs vfs;
    g_autofree char *name = g_strdup_printf("%d", descriptor);

    vfs = (sqlite3_vfs){.zName = "strobe-descriptor",
                        .szOsFile = (int)sizeof(File),
                        .pAppData = sqlite3_vfs_find(NULL),
                        .xOpen = open_file};
    return lent_database_open(&vfs, name, SQLITE_OPEN_READONLY, sql);
}
