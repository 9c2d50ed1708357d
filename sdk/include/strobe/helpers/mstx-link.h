/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link between a mark on the host, which the collector `marker` records, and the same mark on a
 * stream, which `npu_task` records. Both collectors know the id that the vendor's library gave the
 * mark, and make the same link id from it. Since 1.0.
 */
#ifndef STROBE_HELPERS_MSTX_LINK_H
#define STROBE_HELPERS_MSTX_LINK_H

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define MSTX_LINK_COLLECTOR "npu_task" /* both collectors make link ids as this one */

/* This bit is set in the ids of marks, because the library numbers marks and launches separately,
 * and the numbers overlap. */
#define MSTX_LINK_OF_MARK ((uint64_t)1 << 46)

#if defined(__cplusplus)
}
#endif

#endif
