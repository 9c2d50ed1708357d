/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor-checks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "clock.h"
#include "config-buffer.h"
#include "pool.h"
#include "terminal.h"

#define LINE_MAX_BYTES 512

/* Returns the first line of a file (free it). NULL: the file cannot be read. */
static char *first_line(const char *path)
{
    char buffer[LINE_MAX_BYTES];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd >= 0 ? read(fd, buffer, sizeof buffer - 1) : -1;

    if (fd >= 0)
        close(fd);
    if (got < 0)
        return NULL;
    buffer[got] = 0;
    buffer[strcspn(buffer, "\n")] = 0;
    return g_strdup(buffer);
}

/* Returns the text after `key` in the first line of the file that begins with it, without the
 * `separators` in between (free it). NULL: there is none. */
static char *value_in(const char *path, const char *key, const char *separators)
{
    g_autofree char *text = NULL;

    if (!g_file_get_contents(path, &text, NULL, NULL))
        return NULL;
    g_auto(GStrv) lines = g_strsplit(text, "\n", 2000);
    for (char **line = lines; *line; line++)
        if (g_str_has_prefix(*line, key)) {
            const char *value = *line + strlen(key);
            value += strspn(value, separators);
            gsize length = strlen(value);
            while (length > 0 && strchr(separators, value[length - 1]))
                length--;
            return g_strndup(value, length);
        }
    return NULL;
}

static void check_machine(StrobeDoctorReport *report)
{
    g_autofree char *system = value_in("/etc/os-release", "PRETTY_NAME=", "\"");
    g_autofree char *model = value_in("/proc/cpuinfo", "model name", "\t :");
    struct utsname name;

    if (uname(&name) == 0)
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, "kernel", NULL, "%s %s, %s", name.sysname,
                          name.release, name.machine);
    strobe_doctor_add(report, STROBE_VERDICT_NOTE, "system", NULL, "%s",
                      system ? system : "unknown");
    strobe_doctor_add(report, STROBE_VERDICT_NOTE, "processors", NULL, "%ld online, %s",
                      sysconf(_SC_NPROCESSORS_ONLN), model ? model : "model unknown");
}

static void check_clock(StrobeDoctorReport *report)
{
    g_autofree char *source =
        first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    const char *kernel = source ? source : "unknown";

    if (strobe_clock_probe(&strobe_clock_probe_host))
        strobe_doctor_add(
            report, STROBE_VERDICT_GOOD, "clock", NULL,
            "the processor's counter, which has a constant rate; the kernel's clock is %s", kernel);
    else
        strobe_doctor_add(report, STROBE_VERDICT_WARNING, "clock",
                          "nothing needs to be done; a record costs a little more",
                          "CLOCK_MONOTONIC: the processor's counter cannot be trusted here (the "
                          "kernel's clock is %s)",
                          kernel);
}

static gboolean can_write_in(const char *folder)
{
    g_autofree char *path = g_strdup_printf("%s/strobe-doctor-XXXXXX", folder);
    int fd = g_mkstemp_full(path, O_RDWR | O_CLOEXEC, 0600);

    if (fd < 0)
        return FALSE;
    close(fd);
    unlink(path);
    return TRUE;
}

/* Reports the free room in /dev/shm. Pools are files there or, if it has no room, next to the
 * results. */
static void check_memory_folder(StrobeDoctorReport *report)
{
    const char *next = "make it larger (mount -o remount,size=1G /dev/shm; docker run "
                       "--shm-size=1g), or set buffer.size to less";
    guint64 wanted = STROBE_BUFFER_DEFAULT_BYTES;
    struct statvfs room;

    if (!strobe_pool_shared_memory_lasts()) {
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, "/dev/shm", NULL,
                          "not used: in a container it ends with the first process; buffers are "
                          "next to the results");
        return;
    }
    if (statvfs("/dev/shm", &room) != 0) {
        strobe_doctor_add(report, STROBE_VERDICT_WARNING, "/dev/shm", next,
                          "%s: buffers are on the disk, which is slower", g_strerror(errno));
        return;
    }
    guint64 available = (guint64)room.f_bavail * room.f_frsize;
    g_autofree char *all = strobe_text_bytes((guint64)room.f_blocks * room.f_frsize);
    g_autofree char *left = strobe_text_bytes(available);
    if (!can_write_in("/dev/shm"))
        strobe_doctor_add(report, STROBE_VERDICT_WARNING, "/dev/shm",
                          "allow this user to write there",
                          "no file can be made: %s; buffers are on the disk", g_strerror(errno));
    else if (available < wanted)
        strobe_doctor_add(report, STROBE_VERDICT_WARNING, "/dev/shm", next,
                          "%s free of %s: less than a buffer of %u MB", left, all,
                          (guint)(wanted >> 20));
    else
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, "/dev/shm", NULL, "%s free of %s", left,
                          all);
}

static void check_disk(StrobeDoctorReport *report)
{
    g_autofree char *here = g_get_current_dir();
    struct statvfs room;

    if (statvfs(here, &room) != 0)
        return;
    g_autofree char *left = strobe_text_bytes((guint64)room.f_bavail * room.f_frsize);
    if (access(here, W_OK) == 0)
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, "present folder", NULL, "%s free in %s",
                          left, here);
    else
        strobe_doctor_add(report, STROBE_VERDICT_WARNING, "present folder", "name another with -o",
                          "%s cannot be written to: %s", here, g_strerror(errno));
}

static char *limit_text(rlim_t value)
{
    return value == RLIM_INFINITY ? g_strdup("none")
                                  : g_strdup_printf("%" G_GUINT64_FORMAT, (guint64)value);
}

static void check_limits(StrobeDoctorReport *report)
{
    static const struct {
        const char *name, *flag;
        int which;
        rlim_t enough;
    } limits[] = {{"files", "-n", RLIMIT_NOFILE, 256},
                  {"file size", "-f", RLIMIT_FSIZE, RLIM_INFINITY},
                  {"address space", "-v", RLIMIT_AS, RLIM_INFINITY},
                  {"processes", "-u", RLIMIT_NPROC, 256}};

    for (guint i = 0; i < G_N_ELEMENTS(limits); i++) {
        struct rlimit limit;
        if (getrlimit(limits[i].which, &limit) != 0)
            continue;
        gboolean is_low = limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < limits[i].enough;
        g_autofree char *label = g_strconcat("limit of ", limits[i].name, NULL);
        g_autofree char *now = limit_text(limit.rlim_cur), *most = limit_text(limit.rlim_max);
        g_autofree char *next = g_strdup_printf("raise it: ulimit %s", limits[i].flag);
        strobe_doctor_add(report, is_low ? STROBE_VERDICT_WARNING : STROBE_VERDICT_GOOD, label,
                          is_low ? next : NULL, "%s, at most %s", now, most);
    }
}

/* Reports the limits of this process's control group. Supports only version 2. */
static void check_control_group(StrobeDoctorReport *report)
{
    static const char *const files[][2] = {{"memory.max", "group's memory"},
                                           {"cpu.max", "group's processors"}};
    g_autofree char *group = value_in("/proc/self/cgroup", "0::", "");

    for (guint i = 0; group && i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_strdup_printf("/sys/fs/cgroup%s/%s", group, files[i][0]);
        g_autofree char *value = first_line(path);
        if (value)
            strobe_doctor_add(report, STROBE_VERDICT_NOTE, files[i][1], NULL, "%s = %s",
                              files[i][0], value);
    }
    if (g_file_test("/.dockerenv", G_FILE_TEST_EXISTS) ||
        g_file_test("/run/.containerenv", G_FILE_TEST_EXISTS))
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, "container", NULL, "yes");
}

static void add_setting(StrobeDoctorReport *report, const char *name, const char *path,
                        const char *meaning)
{
    g_autofree char *value = first_line(path);

    strobe_doctor_add(report, STROBE_VERDICT_NOTE, name, NULL, "%s (%s)",
                      value ? value : "not told", meaning);
}

static void check_rights(StrobeDoctorReport *report)
{
    const char *points = "/sys/kernel/tracing/events/raw_syscalls/sys_enter/id";
    gboolean reads = access(points, R_OK) == 0;
    g_autofree char *seccomp = value_in("/proc/self/status", "Seccomp:", "\t ");

    strobe_doctor_add(report, STROBE_VERDICT_NOTE, "user", NULL, "%s",
                      geteuid() == 0 ? "root" : "not root");
    add_setting(report, "perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid",
                "for osrt:source=perf");
    add_setting(report, "ptrace_scope", "/proc/sys/kernel/yama/ptrace_scope",
                "has no effect: Strobe does not use ptrace");
    strobe_doctor_add(report, STROBE_VERDICT_NOTE, "trace points", NULL,
                      reads ? "can be read" : "cannot be read (only osrt:source=perf needs them)");
    if (seccomp && !g_str_equal(seccomp, "0"))
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, "seccomp", NULL,
                          "mode %s: system calls are filtered", seccomp);
}

void strobe_doctor_host(StrobeDoctorReport *report)
{
    strobe_doctor_section(report, "Host");
    check_machine(report);
    check_clock(report);
    check_memory_folder(report);
    strobe_doctor_pools(report);
    check_disk(report);
    check_limits(report);
    check_control_group(report);
    check_rights(report);
}

/* ---- environment ---- */

/* A variable that is checked. If its value may be private, the report says only whether it is
 * set. */
typedef struct Variable {
    const char *name;
    gboolean is_private;
    const char *next; /* advice if the variable is set; NULL: none */
} Variable;

static const Variable variables[] = {
    {"ASCEND_HOME_PATH", FALSE, NULL},
    {"ASCEND_TOOLKIT_HOME", FALSE, NULL},
    {"ASCEND_OPP_PATH", FALSE, NULL},
    {"ASCEND_WORK_PATH", FALSE, NULL},
    {"ASCEND_RT_VISIBLE_DEVICES", FALSE, NULL},
    {"ASCEND_GLOBAL_LOG_LEVEL", FALSE, NULL},
    {"PROFILER_SAMPLECONFIG", TRUE,
     "msprof is in charge of the NPU: npu_task records nothing; unset it"},
    {"PROFILING_MODE", FALSE, "CANN's own profiling is on: npu_task records nothing; unset it"},
    {"PROF_CONFIG_PATH", FALSE, NULL},
    {"MSMONITOR_USE_DAEMON", FALSE, NULL},
    {"MSTX_INJECTION_PATH", FALSE,
     "another tool takes the mstx marks; unset it for the collector marker"},
    {"NVTX_INJECTION64_PATH", FALSE,
     "another tool takes the NVTX marks; unset it for the collector marker"},
    {"INTEL_LIBITTNOTIFY64", FALSE,
     "another tool takes the ITT marks; unset it for the collector marker"},
    {"OPENCL_LAYERS", FALSE, NULL},
    {"OCL_ICD_VENDORS", FALSE, NULL},
    {"OCL_ICD_FILENAMES", FALSE, NULL},
    {"OPENCL_VENDOR_PATH", FALSE, NULL},
    {"LD_PRELOAD", FALSE, NULL},
    {"LD_LIBRARY_PATH", FALSE, NULL},
    {"PYTHONPATH", FALSE, NULL},
    {"PYTHONHOME", FALSE, NULL},
    {"PYTHONNOUSERSITE", FALSE, NULL},
    {"VIRTUAL_ENV", FALSE, NULL},
    {"CONDA_PREFIX", FALSE, NULL},
    {"RANK", FALSE, NULL},
    {"LOCAL_RANK", FALSE, NULL},
    {"WORLD_SIZE", FALSE, NULL},
    {"OMPI_COMM_WORLD_RANK", FALSE, NULL},
    {"SLURM_PROCID", FALSE, NULL},
    {"STROBE_PLUGIN_PATH", FALSE, NULL},
    {"STROBE_RUN_DIR", FALSE, "this doctor runs under strobe run: run it without strobe run"},
    {"TORCH_NPU_WARNING_DISABLE", FALSE, NULL},
    {"XDG_RUNTIME_DIR", FALSE, NULL},
    {"TMPDIR", FALSE, NULL},
    {"LC_ALL", FALSE, NULL},
    {"LANG", FALSE, NULL},
};

void strobe_doctor_environment(StrobeDoctorReport *report)
{
    strobe_doctor_section(report, "Environment");
    for (guint i = 0; i < G_N_ELEMENTS(variables); i++) {
        const Variable *variable = &variables[i];
        const char *value = g_getenv(variable->name);
        if (!value || !*value)
            continue;
        strobe_doctor_add(report, variable->next ? STROBE_VERDICT_WARNING : STROBE_VERDICT_NOTE,
                          variable->name, variable->next, "%s",
                          variable->is_private ? "(set)" : value);
    }
    strobe_doctor_add(report, STROBE_VERDICT_NOTE, "others", NULL,
                      "not read: of the %u variables that are checked, those above are set",
                      (guint)G_N_ELEMENTS(variables));
}
