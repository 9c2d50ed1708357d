/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data that another tool recorded for a collector, in folders of the result
 * (STROBE_METADATA_EXTERNAL).
 *
 * In an analysis, the importer that accepts such a folder reads it into a file next to the capture,
 * FRAMEWORK/capture.external.strobe. The file's ids follow those of the capture. A thread with
 * records in the capture and in the file has one track. A reader of the capture also reads the
 * file.
 */
#ifndef STROBE_CORE_EXTERNAL_DATA_H
#define STROBE_CORE_EXTERNAL_DATA_H

#include "pipeline.h"

/* Makes the file of external data if the capture names folders with such data, and the folders
 * exist. Makes the file again if a part could not be read before, if a folder has changed, or if
 * options are given. The file's diagnostics, and "external" in its metadata, name the parts that
 * could not be read. Does nothing for a capture that is still being written. `options`:
 * StrobeConfigComponent of the importers; NULL: none. The result's paths may lead through
 * /proc/self/fd to an open folder; `directory` is the user's path, for messages and importers.
 * `is_own` FALSE: the result is another user's, and nothing is written. Returns FALSE if the file
 * could not be written. */
gboolean strobe_external_data_join(StrobeRegistry *registry, const StrobeResult *result,
                                   const char *directory, gboolean is_own, const GPtrArray *options,
                                   StrobeProgress progress, gpointer user, GError **error);

#endif
