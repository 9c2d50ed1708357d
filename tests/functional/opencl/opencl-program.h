/* SPDX-License-Identifier: Apache-2.0 */
/* Common functions of the parts of opencl-program. */
#ifndef STROBE_TESTS_OPENCL_PROGRAM_H
#define STROBE_TESTS_OPENCL_PROGRAM_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>

#define N 4096

extern cl_context context;
extern cl_mem a; /* a buffer of N floats */
extern float values[N];

/* Ends the program unless the status is CL_SUCCESS. */
void check(cl_int status, const char *what);
cl_command_queue make_queue(cl_command_queue_properties properties);
void write_values(cl_command_queue queue);

void run_copies(void);
void run_svm(void);

#endif
