/* SPDX-License-Identifier: Apache-2.0 */
/* What the report page says of its result: its files, its configuration, how exact its clock is. */
#ifndef STROBE_TOOLS_REPORT_SOURCE_H
#define STROBE_TOOLS_REPORT_SOURCE_H

#include "result.h"

/* As a JSON object in a file that has no name: {clock_error, files: [[name, bytes]],
 * files_left_out, configuration: [[name, text]]}; `clock_error` is in ns, null if it is unknown.
 * Returns the descriptor, which the caller closes; -1 with an error. */
int report_source_read(const StrobeResult *result, GError **error);

#endif
