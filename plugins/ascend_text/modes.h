/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tables that summarize samples, with one row for each mode and device, if the samples
 * themselves are missing. Emits one record for each device. */
#ifndef STROBE_ASCEND_TEXT_MODES_H
#define STROBE_ASCEND_TEXT_MODES_H

#include "ascend-text-import.h"

void modes_import(Import *import, int descriptor, const char *name, const AscendFile *file);

#endif
