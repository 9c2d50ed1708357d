/* SPDX-License-Identifier: Apache-2.0 */
/* While the double is loaded, it looks for CANN, and ends the process if CANN is missing, as the
 * original does. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *load_library(const char *name)
{
    const char *home = getenv("ASCEND_HOME_PATH");
    char path[4096];

    snprintf(path, sizeof path, "%s/lib64/%s", home ? home : "", name);
    return dlopen(home && access(path, R_OK) == 0 ? path : name, RTLD_LAZY);
}

__attribute__((constructor)) static void look_for_cann(void)
{
    static const char *const needs[][2] = {
        {"libprofapi.so", "MsprofRegisterProfileCallback"},
        {"libprofapi.so", "ProfRegisterMstxFunc"},
        {"libprofapi.so", "ProfEnableMstxFunc"},
        {"libascendalog.so", "CheckLogLevelForC"},
        {"libascend_hal.so", NULL},
    };

    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        void *library = load_library(needs[i][0]);
        if (!library || (needs[i][1] && !dlsym(library, needs[i][1])))
            abort();
    }
}
