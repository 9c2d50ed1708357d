/* SPDX-License-Identifier: Apache-2.0 */
/* `strobe doctor --on TARGET`: properties of a board, and the recorders that it can use. */
#ifndef STROBE_TOOLS_DOCTOR_BOARD_H
#define STROBE_TOOLS_DOCTOR_BOARD_H

#include "doctor-report.h"

/* Adds a section about the board `target`. FALSE with an error: the board was not reached. */
gboolean strobe_doctor_board(StrobeDoctorReport *report, const char *target, GError **error);

#endif
