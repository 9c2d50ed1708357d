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
 * record; a source with a name of this form keeps its name) with FRAMEWORK/capture.strobe and
 * further files. With wish->join, reads into that capture and makes no directory; `result` then
 * stays empty. NULL on failure, which leaves no files behind. */
StrobeImport *strobe_import_run(const StrobeImportSource *source, const StrobeImportWish *wish,
                                GError **error);
/* Calls `prepare` of each importer that has this call, to make the source readable with the
 * vendor's tools. The tools' output goes to a file in the folder `logs`. `options` is as in
 * strobe_import_options. FALSE with the reason of the first failure. */
gboolean strobe_import_prepare(StrobeRegistry *registry, const char *path, int logs,
                               const GPtrArray *options, GError **error);
/* Returns the options for this importer in `options`, an array of StrobeConfigComponent (NULL: no
 * options). Returns NULL if there are none, so that the importer's defaults apply. */
const StrobeConfigComponent *strobe_import_options(const GPtrArray *options,
                                                   const StrobeComponent *importer);
/* Like strobe_import_find, but only for importers with `prepare`, which read raw data. NULL: no
 * such importer reads the source. */
GPtrArray *strobe_import_find_raw(StrobeRegistry *registry, const char *path);
/* Calls `prepare` of one importer, which must have this call. */
StrobeStatus strobe_import_call_prepare(const StrobeComponent *importer,
                                        const StrobeConfigComponent *options,
                                        const StrobeSource *source, int logs, GError **error);
void strobe_import_free(StrobeImport *import);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeImport, strobe_import_free)

#endif
