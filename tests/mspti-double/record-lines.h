/* SPDX-License-Identifier: Apache-2.0 */
/* A line of words as a record: see mspti-double.h. */
#ifndef STROBE_TESTS_MSPTI_LINES_H
#define STROBE_TESTS_MSPTI_LINES_H

#include <stdint.h>

/* Lays out the record that a line says, of RECORD_BYTES_MAX zero bytes; its kind, -1: no such line.
 */
int record_of_line(const char *line, uint64_t base, uint8_t *record);

#endif
