/* SPDX-License-Identifier: Apache-2.0 */
/* Writes PYTORCH_API with CONNECTION_IDS and PYTORCH_CALLCHAINS. Writes STEP_TIME if only operators
 * announce the steps. */
#ifndef STROBE_DB_FRAMEWORK_H
#define STROBE_DB_FRAMEWORK_H

#include "db-kinds.h"

Framework *framework_new(Db *db);
void framework_free(Framework *f);
/* Call this after the last record: writes the rows that wait for their connections. */
void framework_end(Framework *f);

void framework_take_op(Db *db, DbKind *kind, const StrobeView *record);
void framework_take_queue(Db *db, DbKind *kind, const StrobeView *record);
void framework_take_python(Db *db, DbKind *kind, const StrobeView *record);
void framework_take_api(Db *db, DbKind *kind, const StrobeView *record);
void framework_take_step(Db *db, DbKind *kind, const StrobeView *record);

#endif
