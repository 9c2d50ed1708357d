/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of `strobe doctor`. Each function adds a section to the report. */
#ifndef STROBE_TOOLS_DOCTOR_CHECKS_H
#define STROBE_TOOLS_DOCTOR_CHECKS_H

#include "doctor-report.h"

/* Data about the Python interpreter, for the self-test. */
typedef struct StrobeDoctorPython {
    char *program;
    gboolean is_named; /* the user named the interpreter with --python */
    gboolean works;    /* the interpreter runs, and finds the package "strobe" of this command */
    gboolean has_torch;
} StrobeDoctorPython;

/* Reports the version, the parts and the plugins. Returns the names of the collectors that can work
 * here, and in *anywhere the names of those that work in any process (free both with
 * g_ptr_array_unref). */
GPtrArray *strobe_doctor_strobe(StrobeDoctorReport *report, const char *const *plugin_path,
                                GPtrArray **anywhere);
/* Reports the machine, the clock, memory, limits and permissions. */
void strobe_doctor_host(StrobeDoctorReport *report);
/* Reports the pools of programs that have ended, because these use memory. Adds the finding to the
 * section of the host. */
void strobe_doctor_pools(StrobeDoctorReport *report);
/* Reports the environment variables that matter for Strobe; reads no others. */
void strobe_doctor_environment(StrobeDoctorReport *report);
/* Reports CANN, MSPTI, DCMI and OpenCL. Loads each of them in a separate process. */
void strobe_doctor_libraries(StrobeDoctorReport *report);
/* Reports the Python interpreter and its PyTorch. */
void strobe_doctor_python(StrobeDoctorReport *report, const char *const *plugin_path,
                          StrobeDoctorPython *python);
/* Records a command that takes a second with `collectors`, and reads the result. */
void strobe_doctor_selftest(StrobeDoctorReport *report, const char *const *plugin_path,
                            const GPtrArray *collectors, const StrobeDoctorPython *python);

#endif
