/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a database of the Ascend PyTorch Profiler to records. */
#ifndef STROBE_ASCEND_DB_H
#define STROBE_ASCEND_DB_H

#include <glib.h>
#include <strobe/importer.h>

#include "db-file.h"

extern const StrobeImporterOps ascend_db_ops;

/* Reads the databases (`analysis` NULL: none). Other importers, whose sources have a database among
 * other files, also call this function; they first remove from file->tables the tables that must
 * not be read. */
StrobeStatus ascend_db_read(const StrobeImporterHost *host, StrobeInstance *self, DbFile *file,
                            DbFile *analysis, gint rank);

#endif
