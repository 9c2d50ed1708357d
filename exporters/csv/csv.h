/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_CSV_CSV_H
#define STROBE_CSV_CSV_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps csv_ops;

#endif
