/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PLUGINS_HOST_SYS_OSRT_H
#define STROBE_PLUGINS_HOST_SYS_OSRT_H

#include "context.h"

extern const HostItem host_item_osrt;

/* Does the open item need the sampler? */
int host_osrt_is_sampled(void);

#endif
