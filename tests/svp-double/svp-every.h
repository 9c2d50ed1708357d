/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_TESTS_SVP_EVERY_H
#define STROBE_TESTS_SVP_EVERY_H

#include <stdint.h>

/* Calls each function of the runtime once on a loaded model. Returns how many calls failed. */
int svp_call_every(uint32_t model);

#endif
