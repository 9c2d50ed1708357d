/* SPDX-License-Identifier: Apache-2.0 */
/* What `strobe doctor` found: by section, with a verdict and what to do next. */
#ifndef STROBE_TOOLS_DOCTOR_REPORT_H
#define STROBE_TOOLS_DOCTOR_REPORT_H

#include <stdio.h>

#include <glib.h>

typedef enum StrobeVerdict {
    STROBE_VERDICT_NOTE,    /* a fact, neither good nor bad: what is not installed, say */
    STROBE_VERDICT_GOOD,    /* checked, and works */
    STROBE_VERDICT_WARNING, /* works, with a limit */
    STROBE_VERDICT_FAILURE  /* does not work */
} StrobeVerdict;

typedef struct StrobeDoctorReport StrobeDoctorReport;

StrobeDoctorReport *strobe_doctor_report_new(void);
void strobe_doctor_report_free(StrobeDoctorReport *report);

/* What is added from here on belongs to that section. */
void strobe_doctor_section(StrobeDoctorReport *report, const char *name);

/* A finding: `name`, what was found, its verdict; `next` says what to do, NULL: nothing. Texts are
 * copied, and may hold anything. */
void strobe_doctor_add(StrobeDoctorReport *report, StrobeVerdict verdict, const char *name,
                       const char *next, const char *format, ...) G_GNUC_PRINTF(5, 6);

/* A text of many lines, such as a log, for the file only. */
void strobe_doctor_attach(StrobeDoctorReport *report, const char *title, const char *text);

/* How many findings have the verdict. */
guint strobe_doctor_count(const StrobeDoctorReport *report, StrobeVerdict verdict);

/* Aligned tables and the next steps; with `attachments` for the file. */
void strobe_doctor_print(const StrobeDoctorReport *report, gboolean attachments, FILE *file);
/* The same as JSON on the standard output. */
void strobe_doctor_print_json(const StrobeDoctorReport *report);

#endif
