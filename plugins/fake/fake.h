/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the fake collector. */
#ifndef STROBE_PLUGINS_FAKE_H
#define STROBE_PLUGINS_FAKE_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_fake_ops;

#endif
