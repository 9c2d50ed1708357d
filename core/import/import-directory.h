/* SPDX-License-Identifier: Apache-2.0 */
/* The result directory that an import makes. */
#ifndef STROBE_CORE_IMPORT_DIRECTORY_H
#define STROBE_CORE_IMPORT_DIRECTORY_H

#include "import-capture.h"
#include "import-result.h"

/* Makes the directory with the capture and `files` (name to GBytes) and sets import->result.
 * Leaves nothing behind on failure. */
gboolean strobe_import_directory_make(StrobeImport *import, const char *source,
                                      const StrobeImportWish *wish, GHashTable *files,
                                      StrobeImportCapture *capture, const char *metadata,
                                      GError **error);

#endif
