/* SPDX-License-Identifier: Apache-2.0 */
/* What a database says of the run: generation, level, devices, session, metadata. */
#ifndef STROBE_ASCEND_DB_FACTS_H
#define STROBE_ASCEND_DB_FACTS_H

#include "emit.h"

/* Sets the import's generation and session, before anything is read. */
void facts_find(Import *import);
/* Hands over facts, devices and metadata. */
void facts_import(Import *import);

#endif
