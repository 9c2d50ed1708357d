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

/* A library of the vendor's, and who needs it. */
typedef struct Library {
    const char *name;
    const char *folder; /* below ASCEND_HOME_PATH; NULL: where the loader finds it */
    const char *use;
    const char *next; /* when it is there and cannot be loaded */
} Library;

#define SOURCE_SET_ENV "source CANN's set_env.sh, which sets LD_LIBRARY_PATH"

static const Library libraries[] = {
    {"libascendcl.so", "lib64", "CANN's runtime", SOURCE_SET_ENV},
    {"libprofapi.so", "lib64", "CANN's reports, by which MSPTI learns", SOURCE_SET_ENV},
    {"libmsprofiler.so", "lib64", "aclprof", SOURCE_SET_ENV},
    {"libmspti.so", "lib64", "npu_task", "see docs/ascend-host.md: CANN has to be complete for it"},
    {"libms_tools_ext.so", "lib64", "mstx marks", SOURCE_SET_ENV},
    {"libascend_hal.so", NULL, "the driver", "add the driver's lib64/driver to LD_LIBRARY_PATH"},
    {"libdcmi.so", NULL, "sys_io, interconnect", "is the driver whole? npu-smi info says"},
    {"libsvp_acl.so", NULL, "boards of SVP", NULL},
    {"libOpenCL.so.1", NULL, "opencl", "install ocl-icd-libopencl1 again"},
};

/* Where drivers are that the loader is not told of. */
static const char *const driver_folders[] = {
    "/usr/local/dcmi", "/usr/local/Ascend/driver/lib64/driver", "/usr/local/Ascend/driver/lib64"};

/* ---- loading, in a child ---- */

static int load(void *user, int answer)
{
    void *handle = dlopen(user, RTLD_LAZY | RTLD_LOCAL);
    const char *text = handle ? "loaded" : dlerror();

    return strobe_child_write(GINT_TO_POINTER(answer), text, strlen(text));
}

/* The path to try, and whether there is a file of that name. */
static char *path_of(const Library *library, gboolean *is_file)
{
    const char *home = g_getenv("ASCEND_HOME_PATH");

    *is_file = FALSE;
    if (library->folder && home && *home) {
        char *path = g_build_filename(home, library->folder, library->name, NULL);
        *is_file = g_file_test(path, G_FILE_TEST_EXISTS);
        return path;
    }
    for (guint i = 0; !library->folder && i < G_N_ELEMENTS(driver_folders); i++) {
        char *path = g_build_filename(driver_folders[i], library->name, NULL);
        *is_file = g_file_test(path, G_FILE_TEST_EXISTS);
        if (*is_file)
            return path;
        g_free(path);
    }
    return g_strdup(library->name);
}

static void check_library(StrobeDoctorReport *report, const Library *library)
{
    g_autoptr(GString) text = g_string_new(NULL);
    gboolean is_file;
    int status;
    g_autofree char *path = path_of(library, &is_file);
    StrobeChildEnd end = strobe_child_run(load, path, LOAD_TIME_US, text, &status);
    g_autofree char *failure = strobe_child_failure(end, status, LOAD_TIME_US);

    if (!failure && text->len == 0)
        failure = g_strdup("it ends the process that loads it");
    if (failure)
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, library->name, library->next,
                          "%s: as it is loaded, %s", path, failure);
    else if (g_str_equal(text->str, "loaded"))
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, library->name, NULL, "%s (%s)", path,
                          library->use);
    else if (is_file)
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, library->name, library->next, "%s",
                          text->str);
    else
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, library->name, NULL, "not found (%s)",
                          library->use);
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

/* One platform's name a line. */
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
