/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a result directory with torch_npu's raw files to records. */
#ifndef STROBE_ASCEND_RAW_H
#define STROBE_ASCEND_RAW_H

#include <strobe/importer.h>

extern const StrobeImporterOps ascend_raw_ops;

#endif
