/* SPDX-License-Identifier: Apache-2.0 */
/* Results of others into captures: who reads a source, and reading it. */
#ifndef STROBE_CORE_IMPORT_H
#define STROBE_CORE_IMPORT_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <strobe/importer.h>
#include "import-result.h"
#include "import-source.h"
#include "registry.h"

/* Reads the source and makes a result directory {host}_{pid}_{time}_ascend_pt (time of the first
 * record; a source of such a name keeps it) with FRAMEWORK/capture.strobe and the files that belong
 * beside it. With wish->join it is read into that capture, nothing is made, and `result` stays
 * empty. NULL on failure, with nothing left behind. */
StrobeImport *strobe_import_run(const StrobeImportSource *source, const StrobeImportWish *wish,
                                GError **error);
/* Lets each importer that can do so make the source readable, with the vendor's tools, whose output
 * goes to a file in the folder `logs`. `options` as for strobe_import_options. FALSE with the
 * reason of the first that could not. */
gboolean strobe_import_prepare(StrobeRegistry *registry, const char *path, int logs,
                               const GPtrArray *options, GError **error);
/* Of StrobeConfigComponents (NULL: none) that of this importer; NULL: its defaults. */
const StrobeConfigComponent *strobe_import_options(const GPtrArray *options,
                                                   const StrobeComponent *importer);
/* As strobe_import_find, for an importer that has `prepare`: it knows the raw data. NULL: none
 * reads the source. */
GPtrArray *strobe_import_find_raw(StrobeRegistry *registry, const char *path);
/* Calls `prepare` of one importer that has it. */
StrobeStatus strobe_import_call_prepare(const StrobeComponent *importer,
                                        const StrobeConfigComponent *options,
                                        const StrobeSource *source, int logs, GError **error);
void strobe_import_free(StrobeImport *import);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeImport, strobe_import_free)

#endif
