/* SPDX-License-Identifier: Apache-2.0 */
/* Reads communication.json and communication_matrix.json, which have data that the profiler
 * derived; used only with `--derived source`. */
#ifndef STROBE_ASCEND_TEXT_STORED_JSON_H
#define STROBE_ASCEND_TEXT_STORED_JSON_H

#include "ascend-text-import.h"

void stored_json_import(Import *import, int descriptor, const char *name);

#endif
