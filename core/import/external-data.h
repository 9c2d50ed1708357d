/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a collector had somebody else record into folders of the result (STROBE_METADATA_EXTERNAL).
 *
 * An analysis has the importer that accepts such a folder read it, into a file beside the capture,
 * FRAMEWORK/capture.external.strobe. Its ids lie behind those of the capture, and threads that both
 * know are one; whoever reads the capture reads it too.
 */
#ifndef STROBE_CORE_EXTERNAL_DATA_H
#define STROBE_CORE_EXTERNAL_DATA_H

#include "pipeline.h"

/* Makes that file, if the capture names such folders and they are there; anew where something could
 * not be read, has changed since, or options are given. What cannot be read
 * is told in the file, as diagnostics and in its fact "external"; FALSE only if the file could not
 * be written. `options`, of StrobeConfigComponent, are those of importers; NULL: none. Nothing is
 * done for a capture that is still being written. The result's paths may go through an open folder;
 * `directory` is its own, for messages and importers. `is_own` FALSE: the result is another user's,
 * nothing is written; FALSE where something would have been. */
gboolean strobe_external_data_join(StrobeRegistry *registry, const StrobeResult *result,
                                   const char *directory, gboolean is_own, const GPtrArray *options,
                                   StrobeProgress progress, gpointer user, GError **error);

#endif
