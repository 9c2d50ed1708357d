/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_SVP_TIMELINE_H
#define STROBE_SVP_TIMELINE_H

#include <strobe/exporter.h>

extern const StrobeConsumerOps svp_timeline_ops;

#endif
