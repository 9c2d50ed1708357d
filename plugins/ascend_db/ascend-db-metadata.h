/* SPDX-License-Identifier: Apache-2.0 */
/* Reads metadata of the run from a database: generation, level, devices, session. */
#ifndef STROBE_ASCEND_DB_METADATA_H
#define STROBE_ASCEND_DB_METADATA_H

#include "ascend-db-emit.h"

/* Sets the import's generation and session. Must be called before any table is read. */
void metadata_find(Import *import);
/* Passes metadata to the host, and emits device and metadata records. */
void metadata_import(Import *import);

#endif
