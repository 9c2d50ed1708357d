/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_ASCEND_TEXT_H
#define STROBE_ASCEND_TEXT_H

#include <strobe/importer.h>

extern const StrobeImporterOps ascend_text_ops;

#endif
