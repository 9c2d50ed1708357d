/* SPDX-License-Identifier: Apache-2.0 */
/* Reads MSTX_EVENTS: the program's ranges and instants. */
#ifndef STROBE_ASCEND_DB_MARKERS_H
#define STROBE_ASCEND_DB_MARKERS_H

#include "row-reader.h"

void markers_import(Import *import);

#endif
