/* SPDX-License-Identifier: Apache-2.0 */
/* Copies captures that are parts of an imported source into the import's capture. */
#ifndef STROBE_CORE_IMPORT_COPY_H
#define STROBE_CORE_IMPORT_COPY_H

#include "import-capture.h"

typedef struct StrobeCopyWish {
    const char *part; /* part of the source, for messages */
    void (*damage)(void *user, const char *part, const char *reason);
    void *user;
} StrobeCopyWish;

/* Copies all records of the capture in the file `descriptor` (lent); `n` receives their number.
 * FALSE: the file is not a capture, or the import's capture has no room. */
gboolean strobe_import_copy(StrobeImportCapture *capture, int descriptor,
                            const StrobeCopyWish *wish, guint64 *n, GError **error);

#endif
