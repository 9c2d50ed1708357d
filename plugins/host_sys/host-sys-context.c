/* SPDX-License-Identifier: Apache-2.0 */
#include "host-sys-context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <strobe/helpers/sampler.h>
#include <strobe/helpers/sys-file.h>

/* Size of the buffer for files, which is large enough for /proc/stat and /proc/net/dev of large
 * machines. */
#define TEXT_SIZE (256u * 1024)

int host_context_init(HostContext *context, const StrobeHost *host, StrobeInstance *self)
{
    context->host = host;
    context->self = self;
    context->proc_root = host->option_text(self, "proc_root");
    context->sys_root = host->option_text(self, "sys_root");
    context->pid = (pid_t)host->pid(self);
    context->is_live = strcmp(context->proc_root, "/proc") == 0;
    context->uptime = -1;
    context->page_size = sysconf(_SC_PAGESIZE);
    context->tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    context->text_size = TEXT_SIZE;
    context->text = malloc(TEXT_SIZE);
    return context->text ? 0 : -1;
}

void host_context_clear(HostContext *context)
{
    strobe_sys_close(&context->uptime);
    free(context->text);
    context->text = NULL;
}

/* Returns the uptime in ns, from a text like "12345.67 ..." (seconds with two decimals); 0: it
 * cannot be read. */
static uint64_t read_uptime(const HostContext *context)
{
    char text[128];
    const char *at = text;
    uint64_t seconds, hundredths;

    if (strobe_sys_read(context->uptime, text, sizeof text) < 0 ||
        strobe_sys_number(&at, &seconds) != 0 || *at++ != '.' ||
        strobe_sys_number(&at, &hundredths) != 0)
        return 0;
    return seconds * 1000000000u + hundredths * 10000000u;
}

uint64_t host_clock(const HostContext *context)
{
    struct timespec now;

    if (!context->is_live)
        return read_uptime(context);
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

StrobeTrackId host_counter_track(const HostContext *context, const char *group)
{
    return strobe_sampler_track(context->host, context->self, group, -1);
}

StrobeStringId host_name(const HostContext *context, StrobeWriter *writer, const char *name)
{
    return *name ? context->host->intern(writer, name, strlen(name)) : 0;
}

void host_report(const HostContext *context, int *has_failed, const char *file)
{
    if (errno == ESRCH) /* the program has ended, and the window will end soon */
        return;
    if (!*has_failed)
        context->host->log(context->self, STROBE_LOG_WARNING,
                           "Cannot sample: file=\"%s\", reason=\"%s\"", file,
                           errno ? strerror(errno) : "unknown form");
    *has_failed = 1;
}

StrobeStatus host_unavailable(HostContext *context, const char *root, const char *name)
{
    int reason = errno;

    snprintf(context->text, context->text_size, "%s/%s", root, name);
    errno = reason;
    return STROBE_UNAVAILABLE;
}
