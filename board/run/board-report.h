/* SPDX-License-Identifier: Apache-2.0 */
/* Prints messages of strobe-board-run on its error output, which is also that of the program. */
#ifndef STROBE_BOARD_REPORT_H
#define STROBE_BOARD_REPORT_H

/* Prints one line, made from the printf format `form`, to stderr. Any thread may call this. */
void board_report(const char *form, ...) __attribute__((format(printf, 1, 2)));

#endif
