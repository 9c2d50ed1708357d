/* SPDX-License-Identifier: Apache-2.0 */
/* What a database says of the run: generation, level, devices, session, metadata. */
#ifndef STROBE_ASCEND_DB_METADATA_H
#define STROBE_ASCEND_DB_METADATA_H

#include "ascend-db-emit.h"

/* Sets the import's generation and session, before anything is read. */
void metadata_find(Import *import);
/* Hands over facts, devices and metadata. */
void metadata_import(Import *import);

#endif
