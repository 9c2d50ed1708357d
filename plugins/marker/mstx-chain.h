/* SPDX-License-Identifier: Apache-2.0 */
/* Passes marks on to the vendor's own tool ("the tool behind"), so that this tool still puts marks
 * on the device. */
#ifndef STROBE_PLUGINS_MARKER_MSTX_CHAIN_H
#define STROBE_PLUGINS_MARKER_MSTX_CHAIN_H

#include <strobe/helpers/mstx-abi.h>

/* The functions of the vendor's tool; NULL: there is no tool, or the tool lacks the function. */
extern struct MstxChain {
    MstxFunction core[MSTX_CORE_SIZE];
    MstxFunction domain[MSTX_DOMAIN_SIZE];
    MstxFunction memory[MSTX_MEMORY_SIZE];
} mstx_behind;

/* Looks for the vendor's tool, and lets it fill in `mstx_behind`. Only the first call in a process
 * has an effect. The environment variable STROBE_MSTX_CHAIN decides: "off"; "on"; or "auto" (the
 * default), which uses the tool if the vendor's library is already loaded and its own profiler does
 * not run the program. */
void mstx_chain(void);

#endif
