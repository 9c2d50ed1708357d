/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about the run in a database: generation, level, devices, session, metadata. */
#ifndef STROBE_ASCEND_DB_METADATA_H
#define STROBE_ASCEND_DB_METADATA_H

#include "ascend-db-emit.h"

/* Sets the import's generation and session. Call it before anything is read. */
void metadata_find(Import *import);
/* Emits facts, devices and metadata. */
void metadata_import(Import *import);

#endif
