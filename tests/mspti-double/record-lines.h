/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a line of words to a record, see mspti-double.h. */
#ifndef STROBE_TESTS_MSPTI_LINES_H
#define STROBE_TESTS_MSPTI_LINES_H

#include <stdint.h>

/* Writes the record of a line to `record`, which must have RECORD_BYTES_MAX zero bytes. Returns the
 * kind of the record; -1: the line is wrong. */
int record_of_line(const char *line, uint64_t base, uint8_t *record);

#endif
