/* SPDX-License-Identifier: Apache-2.0 */
/* The link between a mark on the host and its place on a stream, which two collectors may tell of:
 * `marker` the one, `npu_task` the other. Both know the id that the vendor's library gave it. */
#ifndef STROBE_PLUGINS_COMMON_MSTX_LINK_H
#define STROBE_PLUGINS_COMMON_MSTX_LINK_H

#include <stdint.h>

#define MSTX_LINK_COLLECTOR "npu_task" /* whose links these are */

/* The same library counts its launches: marks have this bit. */
#define MSTX_LINK_OF_MARK ((uint64_t)1 << 46)

#endif
