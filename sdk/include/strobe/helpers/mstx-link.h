/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link between a mark on the host and its place on a stream. The collector `marker` records the
 * one, `npu_task` the other; both know the id that the vendor's library gave the mark. Since 1.0.
 */
#ifndef STROBE_HELPERS_MSTX_LINK_H
#define STROBE_HELPERS_MSTX_LINK_H

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define MSTX_LINK_COLLECTOR "npu_task" /* whose links these are */

/* The same library counts its launches: marks have this bit. */
#define MSTX_LINK_OF_MARK ((uint64_t)1 << 46)

#if defined(__cplusplus)
}
#endif

#endif
