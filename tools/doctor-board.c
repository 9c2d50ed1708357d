/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor-board.h"

#include <string.h>

#include "board-properties.h"
#include "board-kit.h"
#include "board-target.h"
#include "remote-sftp.h"
#include "terminal.h"

#define FOLDER "strobe/doctor"
#define FREE_BYTES_MIN ((guint64)16 << 20)
#define SKEW_NS_MAX ((gint64)60 * 1000000000)

static void add_machine(StrobeDoctorReport *report, const StrobeBoardProperties *properties)
{
    strobe_doctor_add(report, STROBE_VERDICT_GOOD, "machine", NULL, "%s, %u bits",
                      properties->machine, properties->word_bits);
    strobe_doctor_add(report, STROBE_VERDICT_GOOD, "kernel", NULL, "%s", properties->kernel);
    strobe_doctor_add(report, STROBE_VERDICT_GOOD, "C library", NULL, "%s",
                      *properties->libc ? properties->libc : "unknown");
    strobe_doctor_add(report, STROBE_VERDICT_GOOD, "user", NULL, "%s", properties->user);
}

static void add_commands(StrobeDoctorReport *report, const StrobeBoardProperties *properties)
{
    if (properties->lacks)
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, "commands",
                          "Install these commands on the board, or a busybox that has them",
                          "lacks %s", properties->lacks);
    else
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, "commands", NULL, "all that Strobe needs");
}

static void add_space(StrobeDoctorReport *report, const StrobeBoardProperties *properties)
{
    g_autofree char *text = strobe_text_bytes(properties->free_bytes);
    const gboolean is_short = properties->free_bytes < FREE_BYTES_MIN;

    strobe_doctor_add(
        report, is_short ? STROBE_VERDICT_WARNING : STROBE_VERDICT_GOOD, "free in the home",
        is_short ? "Free some space on the board: the program and its models go there" : NULL, "%s",
        text);
}

static void add_clock(StrobeDoctorReport *report, const StrobeRemote *remote,
                      const StrobeBoardProperties *properties)
{
    g_autofree char *skew = strobe_text_duration(ABS(properties->date_skew_ns));
    g_autofree char *range = strobe_text_duration(strobe_clock_offset_error_ns(&remote->clock));

    strobe_doctor_add(report, STROBE_VERDICT_GOOD, "monotonic clock", NULL,
                      "compared with this machine's within %s", range);
    strobe_doctor_add(report,
                      ABS(properties->date_skew_ns) > SKEW_NS_MAX ? STROBE_VERDICT_NOTE
                                                                  : STROBE_VERDICT_GOOD,
                      "date", NULL, "%s %s this machine's; Strobe does not use it", skew,
                      properties->date_skew_ns < 0 ? "behind" : "ahead of");
}

static void add_recorders(StrobeDoctorReport *report, const StrobeBoardProperties *properties)
{
    g_autofree char *kit = strobe_board_kit_find(properties, NULL);

    if (kit)
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, "recorder", NULL, "%s", kit);
    else
        strobe_doctor_add(report, STROBE_VERDICT_WARNING, "recorder",
                          "Build the board's kit (docs/board.md), or use --recorder=vendor",
                          "no kit for %s with %s is installed", properties->machine,
                          *properties->libc ? properties->libc : "an unknown C library");
    strobe_doctor_add(report, STROBE_VERDICT_NOTE, "libsvp_acl.so", NULL, "%s",
                      properties->has_runtime ? "found" : "not in the usual folders");
}

/* Reports which collectors `strobe run --on` can use on the board. */
static void add_collectors(StrobeDoctorReport *report, const StrobeBoardProperties *properties)
{
    g_autofree char *names = strobe_board_kit_collectors(properties);

    if (names)
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, "collectors", NULL, "%s", names);
    else
        strobe_doctor_add(report, STROBE_VERDICT_WARNING, "collectors",
                          "Build the board's kit (docs/board.md) for strobe run --on",
                          "no kit for %s with %s is installed", properties->machine,
                          *properties->libc ? properties->libc : "an unknown C library");
}

static void add_perf(StrobeDoctorReport *report, const StrobeBoardProperties *properties)
{
    const gboolean is_root = strcmp(properties->user, "root") == 0;
    const gint64 paranoid = g_ascii_strtoll(properties->perf, NULL, 10);

    if (!*properties->perf)
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, "processor samples", NULL,
                          "by timers in the program: the kernel has no perf events");
    else if (paranoid > 2 && !is_root)
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, "processor samples",
                          "sysctl kernel.perf_event_paranoid=2 on the board, or root",
                          "by timers in the program: kernel.perf_event_paranoid is %s",
                          properties->perf);
    else
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, "processor samples", NULL,
                          "by the kernel's perf events (kernel.perf_event_paranoid is %s)",
                          properties->perf);
}

static gboolean examine_board(StrobeDoctorReport *report, StrobeRemote *remote, GError **error)
{
    StrobeBoardProperties properties;
    gboolean has_sftp;

    if (!strobe_board_properties_read(remote, &properties, error))
        return FALSE;
    const gboolean good = strobe_remote_measure_clock(remote, error) &&
                          strobe_remote_has_sftp(remote, &has_sftp, error);
    if (good) {
        add_machine(report, &properties);
        add_commands(report, &properties);
        add_space(report, &properties);
        add_clock(report, remote, &properties);
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, "SFTP", NULL, "%s",
                          has_sftp ? "yes" : "no: files go by plain commands");
        add_recorders(report, &properties);
        add_collectors(report, &properties);
        add_perf(report, &properties);
    }
    strobe_board_properties_clear(&properties);
    return good;
}

gboolean strobe_doctor_board(StrobeDoctorReport *report, const char *target_name, GError **error)
{
    g_autoptr(StrobeTarget) target = strobe_board_target(NULL, target_name, error);
    StrobeRemote *remote = target ? strobe_board_open(target, FOLDER, FALSE, error) : NULL;

    if (!remote)
        return FALSE;
    strobe_doctor_section(report, target_name);
    const gboolean good = examine_board(report, remote, error);
    strobe_remote_close(remote);
    return good;
}
