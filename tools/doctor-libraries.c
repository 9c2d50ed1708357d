/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor-checks.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "probe-child.h"

#define LOAD_TIME_US (10 * G_USEC_PER_SEC)
#define PLATFORMS_MAX 16
#define PLATFORM_NAME 0x0902
#define TEXT_LINES 20

/* The folders in which Strobe looks for a library. */
typedef enum Place {
    /* in lib64 below ASCEND_HOME_PATH or, if this variable is not set, on the loader's path */
    IN_CANN,
    /* first like IN_CANN, then on the loader's path, as MSPTI itself searches */
    IN_CANN_FIRST,
    IN_DRIVER /* first in the driver's folders, then on the loader's path */
} Place;

/* A library of a vendor, and its use. */
typedef struct Library {
    const char *name;
    Place place;
    gboolean is_of_mspti; /* MSPTI cannot be loaded without this library */
    const char *use;
    const char *next; /* advice for the case that the library exists but cannot be loaded */
    const char *const *functions; /* functions that the library must have; NULL: none */
} Library;

/* The functions that plugins/npu_task needs. A test checks that these lists equal those of the
 * plugin. */
static const char *const profapi_functions[] = {"MsprofRegisterProfileCallback",
                                                "ProfRegisterMstxFunc", "ProfEnableMstxFunc", NULL};
static const char *const log_functions[] = {"CheckLogLevelForC", NULL};
static const char *const aclprof_functions[] = {
    "aclprofInit",          "aclprofFinalize", "aclprofSetConfig", "aclprofCreateConfig",
    "aclprofDestroyConfig", "aclprofStart",    "aclprofStop",      NULL};
static const char *const mspti_functions[] = {"msptiSubscribe",
                                              "msptiUnsubscribe",
                                              "msptiActivityRegisterCallbacks",
                                              "msptiActivityEnable",
                                              "msptiActivityDisable",
                                              "msptiActivityFlushAll",
                                              NULL};

#define SOURCE_SET_ENV "source CANN's set_env.sh, which sets LD_LIBRARY_PATH"
#define COMPLETE_CANN "see docs/ascend-host.md: this library needs a complete CANN"

static const Library libraries[] = {
    {"libascendcl.so", IN_CANN_FIRST, FALSE, "CANN's runtime", SOURCE_SET_ENV, NULL},
    {"libprofapi.so", IN_CANN_FIRST, TRUE, "CANN's profiling reports, which MSPTI reads",
     SOURCE_SET_ENV, profapi_functions},
    {"libascendalog.so", IN_CANN_FIRST, TRUE, "CANN's log, which MSPTI uses", SOURCE_SET_ENV,
     log_functions},
    {"libascend_hal.so", IN_CANN_FIRST, TRUE, "the driver",
     "add the driver's lib64/driver to LD_LIBRARY_PATH", NULL},
    {"libmsprofiler.so", IN_CANN, FALSE, "aclprof", SOURCE_SET_ENV, aclprof_functions},
    {"libmspti.so", IN_CANN, FALSE, "npu_task", COMPLETE_CANN, mspti_functions},
    {"libms_tools_ext.so", IN_CANN, FALSE, "mstx marks", SOURCE_SET_ENV, NULL},
    {"libdcmi.so", IN_DRIVER, FALSE, "sys_io, interconnect",
     "check with npu-smi info whether the driver is complete", NULL},
    {"libsvp_acl.so", IN_DRIVER, FALSE, "camera boards (SVP)", NULL, NULL},
    {"libOpenCL.so.1", IN_DRIVER, FALSE, "opencl", "install ocl-icd-libopencl1 again", NULL},
};

/* Folders of drivers that are not on the loader's path. */
static const char *const driver_folders[] = {
    "/usr/local/dcmi", "/usr/local/Ascend/driver/lib64/driver", "/usr/local/Ascend/driver/lib64"};

/* ---- loading, in a child process ---- */

typedef struct Attempt {
    const char *path;
    const char *const *functions;
} Attempt;

#define LACKS "it has no function "

static int load_library(void *user, int answer)
{
    const Attempt *attempt = user;
    void *handle = dlopen(attempt->path, RTLD_LAZY | RTLD_LOCAL);
    g_autofree char *text = g_strdup(handle ? "loaded" : dlerror());

    for (guint i = 0; handle && attempt->functions && attempt->functions[i]; i++)
        if (!dlsym(handle, attempt->functions[i])) {
            g_free(text);
            text = g_strconcat(LACKS, attempt->functions[i], NULL);
            break;
        }
    return strobe_child_write(GINT_TO_POINTER(answer), text, strlen(text));
}

/* Returns the path of the library in one of the driver's folders. NULL: none of them has the
 * library. */
static char *find_in_driver(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(driver_folders); i++) {
        char *path = g_build_filename(driver_folders[i], name, NULL);
        if (g_file_test(path, G_FILE_TEST_EXISTS))
            return path;
        g_free(path);
    }
    return NULL;
}

/* Returns the path, or only the name, that is tried first. Sets *is_file to whether it is the path
 * of an existing file. */
static char *path_of(const Library *library, gboolean *is_file)
{
    const char *home = g_getenv("ASCEND_HOME_PATH");
    char *path = NULL;

    if (library->place == IN_DRIVER)
        path = find_in_driver(library->name);
    else if (home && *home)
        path = g_build_filename(home, "lib64", library->name, NULL);
    *is_file = path && g_file_test(path, G_FILE_TEST_EXISTS);
    if (*is_file || (path && library->place == IN_CANN))
        return path;
    g_free(path);
    return g_strdup(library->name);
}

static void report_missing(StrobeDoctorReport *report, const Library *library)
{
    const char *home = g_getenv("ASCEND_HOME_PATH");
    g_autofree char *mspti = g_build_filename(home ? home : "", "lib64", "libmspti.so", NULL);
    g_autofree char *elsewhere = find_in_driver(library->name);
    gboolean is_needed =
        library->is_of_mspti && home && *home && g_file_test(mspti, G_FILE_TEST_EXISTS);

    if (elsewhere)
        strobe_doctor_add(report, is_needed ? STROBE_VERDICT_FAILURE : STROBE_VERDICT_WARNING,
                          library->name, library->next,
                          "%s exists, but the loader does not search its folder", elsewhere);
    else if (is_needed)
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, library->name, library->next,
                          "not found (%s): MSPTI cannot be loaded without it", library->use);
    else
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, library->name, NULL, "not found (%s)",
                          library->use);
}

static void check_library(StrobeDoctorReport *report, const Library *library)
{
    g_autoptr(GString) text = g_string_new(NULL);
    gboolean is_file;
    int status;
    g_autofree char *path = path_of(library, &is_file);
    Attempt attempt = {path, library->functions};
    StrobeChildEnd end = strobe_child_run(load_library, &attempt, LOAD_TIME_US, text, &status);
    g_autofree char *failure = strobe_child_failure(end, status, LOAD_TIME_US);

    if (!failure && text->len == 0)
        failure = g_strdup("it ends the process that loads it");
    if (failure)
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, library->name, library->next,
                          "%s: when it is loaded, %s", path, failure);
    else if (g_str_equal(text->str, "loaded"))
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, library->name, NULL, "%s (%s)", path,
                          library->use);
    else if (g_str_has_prefix(text->str, LACKS))
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, library->name,
                          "update CANN: this version is too old for npu_task", "%s: %s", path,
                          text->str);
    else if (is_file)
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, library->name, library->next, "%s",
                          text->str);
    else
        report_missing(report, library);
}

/* ---- CANN ---- */

static void check_cann(StrobeDoctorReport *report)
{
    static const char *const files[] = {"version.cfg", "version.info",
                                        "ascend_toolkit_install.info"};
    const char *home = g_getenv("ASCEND_HOME_PATH");

    if (!home || !*home) {
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, "CANN", NULL,
                          "ASCEND_HOME_PATH is not set: none is looked for there");
        return;
    }
    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(home, files[i], NULL);
        g_autofree char *text = NULL;
        if (!g_file_get_contents(path, &text, NULL, NULL))
            continue;
        g_auto(GStrv) lines = g_strsplit(text, "\n", TEXT_LINES);
        g_autofree char *joined = g_strjoinv("; ", lines);
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, "CANN", NULL, "%s: %s", path, joined);
        return;
    }
    strobe_doctor_add(report, STROBE_VERDICT_WARNING, "CANN",
                      "is ASCEND_HOME_PATH the folder that set_env.sh sets?", "%s says no version",
                      home);
}

static void check_programs(StrobeDoctorReport *report)
{
    static const char *const programs[] = {"msprof", "npu-smi"};

    for (guint i = 0; i < G_N_ELEMENTS(programs); i++) {
        g_autofree char *path = g_find_program_in_path(programs[i]);
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, programs[i], NULL, "%s",
                          path ? path : "not in PATH");
    }
}

/* ---- OpenCL ---- */

typedef int32_t (*PlatformIds)(uint32_t, void **, uint32_t *);
typedef int32_t (*PlatformInfo)(void *, uint32_t, size_t, void *, size_t *);

/* In the child process: writes the name of each OpenCL platform on a line. */
static int name_platforms(void *user, int answer)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL), *platforms[PLATFORMS_MAX];
    PlatformIds ids = NULL;
    PlatformInfo info = NULL;
    uint32_t n = 0;

    if (library) {
        *(void **)&ids = dlsym(library, "clGetPlatformIDs");
        *(void **)&info = dlsym(library, "clGetPlatformInfo");
    }
    if (!ids || !info || ids(PLATFORMS_MAX, platforms, &n) != 0)
        return 0;
    for (uint32_t i = 0; i < n && i < PLATFORMS_MAX; i++) {
        char name[256] = "";
        if (info(platforms[i], PLATFORM_NAME, sizeof name - 1, name, NULL) == 0) {
            strobe_child_write(GINT_TO_POINTER(answer), name, strlen(name));
            strobe_child_write(GINT_TO_POINTER(answer), "\n", 1);
        }
    }
    return 0;
}

static void check_opencl(StrobeDoctorReport *report)
{
    g_autoptr(GString) text = g_string_new(NULL);
    int status;
    StrobeChildEnd end = strobe_child_run(name_platforms, NULL, LOAD_TIME_US, text, &status);
    g_autofree char *failure = strobe_child_failure(end, status, LOAD_TIME_US);

    if (failure)
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, "OpenCL platforms",
                          "one of the drivers in /etc/OpenCL/vendors is broken: take out one after "
                          "the other",
                          "asked for them, %s", failure);
    else if (text->len == 0)
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, "OpenCL platforms", NULL, "none");
    else
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, "OpenCL platforms", NULL, "%s",
                          g_strdelimit(g_strchomp(text->str), "\n", ','));
}

void strobe_doctor_libraries(StrobeDoctorReport *report)
{
    strobe_doctor_section(report, "Vendors' libraries");
    check_cann(report);
    for (guint i = 0; i < G_N_ELEMENTS(libraries); i++)
        check_library(report, &libraries[i]);
    check_programs(report);
    check_opencl(report);
}
