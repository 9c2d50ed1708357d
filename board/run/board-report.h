/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of strobe-board-run, on the error output of the program. */
#ifndef STROBE_BOARD_REPORT_H
#define STROBE_BOARD_REPORT_H

/* Prints one line. Any thread. */
void board_report(const char *form, ...) __attribute__((format(printf, 1, 2)));

#endif
