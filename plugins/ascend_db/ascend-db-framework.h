/* SPDX-License-Identifier: Apache-2.0 */
/* Reads PYTORCH_API with its connections and call chains, and GC_RECORD. */
#ifndef STROBE_ASCEND_DB_FRAMEWORK_H
#define STROBE_ASCEND_DB_FRAMEWORK_H

#include "row-reader.h"

void framework_import(Import *import);

#endif
