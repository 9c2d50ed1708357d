/* SPDX-License-Identifier: Apache-2.0 */
/* Domains of marks that are switched off by name. Called with the double's lock. */
#ifndef STROBE_TESTS_MSPTI_DOMAINS_H
#define STROBE_TESTS_MSPTI_DOMAINS_H

#include <stdint.h>

/* Is the domain of this mark off? An end has no domain; the domain of its begin counts. */
int domains_drop(const uint8_t *marker);

#endif
