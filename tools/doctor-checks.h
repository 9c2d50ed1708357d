/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `strobe doctor`: each adds a section to the report. */
#ifndef STROBE_TOOLS_DOCTOR_CHECKS_H
#define STROBE_TOOLS_DOCTOR_CHECKS_H

#include "doctor-report.h"

/* Data about the Python interpreter, for the self-test. */
typedef struct StrobeDoctorPython {
    char *program;
    gboolean is_named; /* named by --python */
    gboolean works;    /* it runs and finds the package "strobe" of this command */
    gboolean has_torch;
} StrobeDoctorPython;

/* Version, parts and plugins; returns the names of the collectors that can work here (free with
 * g_ptr_array_unref): all of them, and in *anywhere those that work in any process. */
GPtrArray *strobe_doctor_strobe(StrobeDoctorReport *report, const char *const *plugin_path,
                                GPtrArray **anywhere);
/* Machine, clock, memory, limits, permissions. */
void strobe_doctor_host(StrobeDoctorReport *report);
/* Pools of dead programs, which use memory; in the host's section. */
void strobe_doctor_pools(StrobeDoctorReport *report);
/* The relevant environment variables; it reads no others. */
void strobe_doctor_environment(StrobeDoctorReport *report);
/* CANN, MSPTI, DCMI, OpenCL: each is loaded in a separate process. */
void strobe_doctor_libraries(StrobeDoctorReport *report);
/* The interpreter and its PyTorch. */
void strobe_doctor_python(StrobeDoctorReport *report, const char *const *plugin_path,
                          StrobeDoctorPython *python);
/* Records for a second with these collectors, and reads the result. */
void strobe_doctor_selftest(StrobeDoctorReport *report, const char *const *plugin_path,
                            const GPtrArray *collectors, const StrobeDoctorPython *python);

#endif
