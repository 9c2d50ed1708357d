/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the report exporter. */
#ifndef STROBE_REPORT_H
#define STROBE_REPORT_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps report_ops;

#endif
