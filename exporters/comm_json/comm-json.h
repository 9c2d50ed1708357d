/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_COMM_JSON_H
#define STROBE_COMM_JSON_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps comm_json_ops;

#endif
