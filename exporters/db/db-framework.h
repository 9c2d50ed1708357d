/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tables PYTORCH_API, CONNECTION_IDS, PYTORCH_CALLCHAINS and STEP_TIME. */
#ifndef STROBE_DB_FRAMEWORK_H
#define STROBE_DB_FRAMEWORK_H

#include "db-kinds.h"

Framework *framework_new(Db *db);
void framework_free(Framework *f);
/* Writes the rows that wait for their connections. Must be called after the last record. */
void framework_end(Framework *f);

void framework_take_op(Db *db, DbKind *kind, const StrobeView *record);
void framework_take_queue(Db *db, DbKind *kind, const StrobeView *record);
void framework_take_python(Db *db, DbKind *kind, const StrobeView *record);
void framework_take_api(Db *db, DbKind *kind, const StrobeView *record);
void framework_take_step(Db *db, DbKind *kind, const StrobeView *record);

#endif
