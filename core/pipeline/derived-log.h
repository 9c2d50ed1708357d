/* SPDX-License-Identifier: Apache-2.0 */
/* What a pass emits: written by the pass's thread, read by any number of others when the pass has
 * ended. */
#ifndef STROBE_CORE_DERIVED_LOG_H
#define STROBE_CORE_DERIVED_LOG_H

#include "spool.h"

typedef struct StrobeDerivedLog StrobeDerivedLog;

StrobeDerivedLog *strobe_derived_log_new(void);
/* Counted references; any thread. */
StrobeDerivedLog *strobe_derived_log_ref(StrobeDerivedLog *log);
void strobe_derived_log_unref(StrobeDerivedLog *log);

/* Adds a copy of the record, with zeroed fields behind it, to be filled in before the next call.
 * NULL when it cannot be kept (disk full). */
struct StrobeSpooled *strobe_derived_log_add(StrobeDerivedLog *log,
                                             const struct StrobeSpooled *record);
/* No more is added. `is_whole`: FALSE if the pass failed; then nobody reads it. */
void strobe_derived_log_end(StrobeDerivedLog *log, gboolean is_whole);

/* Waits for the end. NULL: the pass failed. */
StrobeSpoolReader *strobe_derived_log_read(StrobeDerivedLog *log);

#endif
