/* SPDX-License-Identifier: Apache-2.0 */
/* Writes records to the databases of the Ascend PyTorch Profiler. */
#ifndef STROBE_DB_DB_H
#define STROBE_DB_DB_H

#include <glib.h>
#include <strobe/exporter.h>

extern const StrobeConsumerOps db_ops;

#endif
