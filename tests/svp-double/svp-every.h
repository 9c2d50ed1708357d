/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_TESTS_SVP_EVERY_H
#define STROBE_TESTS_SVP_EVERY_H

#include <stdint.h>

/* Calls each function of the runtime once, with a loaded model. Returns the number of calls that
 * failed. */
int svp_call_every(uint32_t model);

#endif
