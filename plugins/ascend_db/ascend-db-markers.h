/* SPDX-License-Identifier: Apache-2.0 */
/* MSTX_EVENTS: ranges and instants that the program marked. */
#ifndef STROBE_ASCEND_DB_MARKERS_H
#define STROBE_ASCEND_DB_MARKERS_H

#include "row-reader.h"

void markers_import(Import *import);

#endif
