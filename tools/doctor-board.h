/* SPDX-License-Identifier: Apache-2.0 */
/* `strobe doctor --on TARGET`: what a board is, and what can record there. */
#ifndef STROBE_TOOLS_DOCTOR_BOARD_H
#define STROBE_TOOLS_DOCTOR_BOARD_H

#include "doctor-report.h"

/* Adds the section. FALSE: the board was not reached, and the error says why. */
gboolean strobe_doctor_board(StrobeDoctorReport *report, const char *target, GError **error);

#endif
