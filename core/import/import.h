/* SPDX-License-Identifier: Apache-2.0 */
/* Imports results of other profilers into captures: finds the importer and reads the source. */
#ifndef STROBE_CORE_IMPORT_H
#define STROBE_CORE_IMPORT_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <strobe/importer.h>
#include "import-result.h"
#include "import-source.h"
#include "registry.h"

/* Reads the source and makes a result directory {host}_{pid}_{time}_ascend_pt (time of the first
 * record; a source with such a name keeps it) with FRAMEWORK/capture.strobe and its further files.
 * With wish->join it reads into that capture, makes no directory, and `result` stays empty. NULL on
 * failure; leaves nothing behind. */
StrobeImport *strobe_import_run(const StrobeImportSource *source, const StrobeImportWish *wish,
                                GError **error);
/* Calls `prepare` of each importer that has it, to make the source readable with the vendor's
 * tools; the tools' output goes to a file in the folder `logs`. `options` as for
 * strobe_import_options. FALSE with the reason of the first failure. */
gboolean strobe_import_prepare(StrobeRegistry *registry, const char *path, int logs,
                               const GPtrArray *options, GError **error);
/* The options for this importer in StrobeConfigComponents (NULL: none); NULL: its defaults. */
const StrobeConfigComponent *strobe_import_options(const GPtrArray *options,
                                                   const StrobeComponent *importer);
/* Like strobe_import_find, for importers with `prepare`, which read the raw data. NULL: none
 * reads the source. */
GPtrArray *strobe_import_find_raw(StrobeRegistry *registry, const char *path);
/* Calls `prepare` of an importer that has it. */
StrobeStatus strobe_import_call_prepare(const StrobeComponent *importer,
                                        const StrobeConfigComponent *options,
                                        const StrobeSource *source, int logs, GError **error);
void strobe_import_free(StrobeImport *import);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeImport, strobe_import_free)

#endif
