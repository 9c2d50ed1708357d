/* SPDX-License-Identifier: Apache-2.0 */
/* JSON inside of a page. */
#ifndef STROBE_EXPORTERS_PAGE_ESCAPE_H
#define STROBE_EXPORTERS_PAGE_ESCAPE_H

#include <stddef.h>

/* The write function of a JSON writer whose `file` is a StrobeSafeFile. Text from outside does not
 * end the element: '<' is escaped. Returns 0 or an errno value. */
int page_write_escaped(void *file, const char *bytes, size_t length);

#endif
