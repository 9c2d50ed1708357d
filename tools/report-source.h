/* SPDX-License-Identifier: Apache-2.0 */
/* Collects data about a result for the report page: its files, its configuration and the error of
 * its clock. */
#ifndef STROBE_TOOLS_REPORT_SOURCE_H
#define STROBE_TOOLS_REPORT_SOURCE_H

#include "result.h"

/* Writes a JSON object into a file without a name: {clock_error, files: [[name, bytes]],
 * files_left_out, configuration: [[name, text]], configuration_left_out}; `clock_error` is in ns,
 * null if it is unknown. Returns the descriptor, which the caller closes; -1 with an error. */
int report_source_read(const StrobeResult *result, GError **error);

#endif
