/* SPDX-License-Identifier: Apache-2.0 */
/* Domains of marks that are switched off by name. The caller must hold the double's lock. */
#ifndef STROBE_TESTS_MSPTI_DOMAINS_H
#define STROBE_TESTS_MSPTI_DOMAINS_H

#include <stdint.h>

/* Whether the domain of this mark is off. The end of a range has no domain, so that of its begin
 * counts. */
int domains_drop(const uint8_t *marker);

#endif
