/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that sum samples up, one row a mode and device, where the samples themselves are not
 * there: one record a device with the sums. */
#ifndef STROBE_ASCEND_TEXT_MODES_H
#define STROBE_ASCEND_TEXT_MODES_H

#include "ascend-text-import.h"

void modes_import(Import *import, int descriptor, const char *name, const AscendFile *file);

#endif
