/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `strobe doctor`: each adds a section to the report. */
#ifndef STROBE_TOOLS_DOCTOR_CHECKS_H
#define STROBE_TOOLS_DOCTOR_CHECKS_H

#include "doctor-report.h"

/* What is known of the Python interpreter, for the test that records it. */
typedef struct StrobeDoctorPython {
    char *program;
    gboolean is_named; /* with --python: told to be used */
    gboolean works;    /* it runs, and finds the package "strobe" that belongs to this command */
    gboolean has_torch;
} StrobeDoctorPython;

/* Version, parts, and every plugin; returns the names of the collectors that can work here (free
 * with g_ptr_array_unref): first all, in *anywhere those that work in any process. */
GPtrArray *strobe_doctor_strobe(StrobeDoctorReport *report, const char *const *plugin_path,
                                GPtrArray **anywhere);
/* Machine, clock, memory, limits, permissions. */
void strobe_doctor_host(StrobeDoctorReport *report);
/* Buffers of programs that died, which take memory: within the host's section. */
void strobe_doctor_pools(StrobeDoctorReport *report);
/* Variables of the environment that matter; no others are looked at. */
void strobe_doctor_environment(StrobeDoctorReport *report);
/* CANN, MSPTI, DCMI, OpenCL: each loaded in a process of its own. */
void strobe_doctor_libraries(StrobeDoctorReport *report);
/* The interpreter and its PyTorch. */
void strobe_doctor_python(StrobeDoctorReport *report, const char *const *plugin_path,
                          StrobeDoctorPython *python);
/* Records for a second with these collectors, and reads the result. */
void strobe_doctor_selftest(StrobeDoctorReport *report, const char *const *plugin_path,
                            const GPtrArray *collectors, const StrobeDoctorPython *python);

#endif
