/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PASSES_CALL_PATH_H
#define STROBE_PASSES_CALL_PATH_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps call_path_ops;

#endif
