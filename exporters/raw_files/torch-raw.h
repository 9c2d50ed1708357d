/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_EXPORTERS_TORCH_RAW_H
#define STROBE_EXPORTERS_TORCH_RAW_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps raw_files_ops;

#endif
