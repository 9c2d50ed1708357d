/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the findings of `strobe doctor` by section. Each has a verdict, and may have advice. */
#ifndef STROBE_TOOLS_DOCTOR_REPORT_H
#define STROBE_TOOLS_DOCTOR_REPORT_H

#include <stdio.h>

#include <glib.h>

typedef enum StrobeVerdict {
    STROBE_VERDICT_NOTE,    /* neither good nor bad, for example a package that is not installed */
    STROBE_VERDICT_GOOD,    /* the checked thing works */
    STROBE_VERDICT_WARNING, /* the checked thing works, with a limit */
    STROBE_VERDICT_FAILURE  /* the checked thing does not work */
} StrobeVerdict;

typedef struct StrobeDoctorReport StrobeDoctorReport;

StrobeDoctorReport *strobe_doctor_report_new(void);
void strobe_doctor_report_free(StrobeDoctorReport *report);

/* Begins a section: the findings that follow belong to it. */
void strobe_doctor_section(StrobeDoctorReport *report, const char *name);

/* Adds a finding: its name, its result (`format` and the arguments after it) and its verdict.
 * `next` is advice for the user, NULL: none. The texts are copied, and may contain any bytes. */
void strobe_doctor_add(StrobeDoctorReport *report, StrobeVerdict verdict, const char *name,
                       const char *next, const char *format, ...) G_GNUC_PRINTF(5, 6);

/* Adds a long text, such as a log, that is written only to the report file. */
void strobe_doctor_attach(StrobeDoctorReport *report, const char *title, const char *text);

/* Returns the number of findings with the verdict. */
guint strobe_doctor_count(const StrobeDoctorReport *report, StrobeVerdict verdict);

/* Prints the findings as aligned tables, and the advice. `attachments`: also prints the texts of
 * strobe_doctor_attach. */
void strobe_doctor_print(const StrobeDoctorReport *report, gboolean attachments, FILE *file);
/* Prints the findings as JSON on the standard output. */
void strobe_doctor_print_json(const StrobeDoctorReport *report);

#endif
