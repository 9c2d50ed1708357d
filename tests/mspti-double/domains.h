/* SPDX-License-Identifier: Apache-2.0 */
/* Domains of marks that are switched off by name. With the double's lock held. */
#ifndef STROBE_TESTS_MSPTI_DOMAINS_H
#define STROBE_TESTS_MSPTI_DOMAINS_H

#include <stdint.h>

/* Is this mark's domain off? Of an end, which has no domain, that of its begin counts. */
int domains_drop(const uint8_t *marker);

#endif
