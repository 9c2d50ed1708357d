/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of `strobe doctor` by section, each with a verdict and advice. */
#ifndef STROBE_TOOLS_DOCTOR_REPORT_H
#define STROBE_TOOLS_DOCTOR_REPORT_H

#include <stdio.h>

#include <glib.h>

typedef enum StrobeVerdict {
    STROBE_VERDICT_NOTE,    /* neither good nor bad, for example a package that is not installed */
    STROBE_VERDICT_GOOD,    /* checked, and works */
    STROBE_VERDICT_WARNING, /* works, with a limit */
    STROBE_VERDICT_FAILURE  /* does not work */
} StrobeVerdict;

typedef struct StrobeDoctorReport StrobeDoctorReport;

StrobeDoctorReport *strobe_doctor_report_new(void);
void strobe_doctor_report_free(StrobeDoctorReport *report);

/* The following findings belong to that section. */
void strobe_doctor_section(StrobeDoctorReport *report, const char *name);

/* A finding: `name`, the result, its verdict; `next` is the advice, NULL: none. Texts are
 * copied, and may contain any bytes. */
void strobe_doctor_add(StrobeDoctorReport *report, StrobeVerdict verdict, const char *name,
                       const char *next, const char *format, ...) G_GNUC_PRINTF(5, 6);

/* A long text such as a log, only for the file. */
void strobe_doctor_attach(StrobeDoctorReport *report, const char *title, const char *text);

/* Number of findings with the verdict. */
guint strobe_doctor_count(const StrobeDoctorReport *report, StrobeVerdict verdict);

/* Aligned tables and the next steps; with `attachments` for the file. */
void strobe_doctor_print(const StrobeDoctorReport *report, gboolean attachments, FILE *file);
/* The same as JSON on the standard output. */
void strobe_doctor_print_json(const StrobeDoctorReport *report);

#endif
