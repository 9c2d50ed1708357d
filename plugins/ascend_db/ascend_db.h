/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a database of the Ascend PyTorch Profiler into records. */
#ifndef STROBE_ASCEND_DB_H
#define STROBE_ASCEND_DB_H

#include <glib.h>
#include <strobe/importer.h>

#include "db-file.h"

extern const StrobeImporterOps ascend_db_ops;

/* Reads what the databases hold (`analysis` NULL: none). For importers whose source has a database
 * among other files: tables that they take away from file->tables are not read. */
StrobeStatus ascend_db_read(const StrobeImporterHost *host, StrobeInstance *self, DbFile *file,
                            DbFile *analysis, gint rank);

#endif
