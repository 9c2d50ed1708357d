/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_SVP_DB_H
#define STROBE_SVP_DB_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps svp_db_ops;

#endif
