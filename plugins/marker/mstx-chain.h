/* SPDX-License-Identifier: Apache-2.0 */
/* The tool behind this one: the vendor's own, so that its marks on the device still happen. */
#ifndef STROBE_PLUGINS_MARKER_MSTX_CHAIN_H
#define STROBE_PLUGINS_MARKER_MSTX_CHAIN_H

#include <strobe/helpers/mstx-abi.h>

/* Functions of the tool behind; NULL where it has none. */
extern struct MstxChain {
    MstxFunction core[MSTX_CORE_SIZE];
    MstxFunction domain[MSTX_DOMAIN_SIZE];
    MstxFunction memory[MSTX_MEMORY_SIZE];
} mstx_behind;

/* Looks for it, once per process, and lets it fill in its functions. STROBE_MSTX_CHAIN says
 * whether: "off", "on", or "auto" (also where it is unset): where the vendor's library is in the
 * process already, and its own profiler does not run the program. */
void mstx_chain(void);

#endif
