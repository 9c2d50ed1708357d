/* SPDX-License-Identifier: Apache-2.0 */
/* A mapped file whose pages come into view one by one. */
#ifndef STROBE_TOOLS_LONE_PAGES_H
#define STROBE_TOOLS_LONE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* A read of these pages (whole ones, of one mapping) brings no others around it into view. False
 * where the system does not know how (before Linux 6.7) or does not let us: then 16 come. */
bool lone_pages_make(void *at, size_t size);

#endif
