/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the notes of a pool (pool-notes.h) into a capture whose program ended within the window.
 */
#ifndef STROBE_CORE_CAPTURE_NOTES_H
#define STROBE_CORE_CAPTURE_NOTES_H

#include "capture-writer.h"

/* Appends a diagnostic record with the time `ticks` to the capture for each note that is set.
 * Returns 0 or an errno value. */
int strobe_capture_write_notes(const struct pool_header *pool, StrobeCaptureWriter *writer,
                               uint64_t ticks);

#endif
