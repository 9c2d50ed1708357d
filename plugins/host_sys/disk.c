/* SPDX-License-Identifier: Apache-2.0 */
/* The item "disk": input and output of the process, and of the machine's block devices. */
#include "disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strobe/helpers/sys-file.h>

#define DEVICES_MAX 256
#define SECTOR 512 /* the unit of /proc/diskstats for every device */

typedef struct Account {
    uint64_t at;
    uint64_t read_bytes, write_bytes, reads, writes, read_chars, write_chars, cut;
} Account;

typedef struct Device {
    char name[32];
    uint8_t is_part; /* the device is a partition of another device and is not sampled */
    uint64_t at, round;
    uint64_t reads, writes, read_sectors, write_sectors, busy_ms, queue_ms;
} Device;

typedef struct HostDisk {
    HostContext *context;
    int io, stat, diskstats;
    int has_delays; /* the kernel counts how long the process waits for storage, see read_delay */
    StrobeKindId kind, usage_kind;
    StrobeTrackId track;
    Account last;
    uint64_t last_delay;
    int has_last, has_failed, has_failed_devices;
    uint64_t devices_at, round;
    uint32_t n_devices;
    Device devices[DEVICES_MAX];
} HostDisk;

static int read_account(const HostDisk *disk, Account *account)
{
    char text[512];

    if (strobe_sys_read(disk->io, text, sizeof text) < 0 ||
        strobe_sys_field(text, "rchar:", &account->read_chars) != 0 ||
        strobe_sys_field(text, "wchar:", &account->write_chars) != 0 ||
        strobe_sys_field(text, "syscr:", &account->reads) != 0 ||
        strobe_sys_field(text, "syscw:", &account->writes) != 0 ||
        strobe_sys_field(text, "read_bytes:", &account->read_bytes) != 0 ||
        strobe_sys_field(text, "write_bytes:", &account->write_bytes) != 0 ||
        strobe_sys_field(text, "cancelled_write_bytes:", &account->cut) != 0)
        return -1;
    account->at = host_clock(disk->context);
    return account->at ? 0 : -1;
}

/* Sets `ticks` to the ticks for which the process has waited for storage: field 42 of its
 * `stat`. */
static int read_delay(const HostDisk *disk, uint64_t *ticks)
{
    char text[1024];

    if (!disk->has_delays || strobe_sys_read(disk->stat, text, sizeof text) < 0)
        return -1;
    const char *at = strrchr(text, ')');
    return at && (at++, strobe_sys_skip(&at, 39) == 0) ? strobe_sys_number(&at, ticks) : -1;
}

static void record_usage(HostDisk *disk, StrobeWriter *writer, const struct strobe_host_disk *row,
                         uint64_t at)
{
    const StrobeHost *host = disk->context->host;
    StrobeStringId name = host_name(disk->context, writer, "Disk");
    struct strobe_usage *record = host->reserve(writer, disk->usage_kind, disk->track, name, at, 0);

    if (!record)
        return;
    record->usage = row->utilisation;
    record->read_rate = row->read_rate;
    record->write_rate = row->write_rate;
    record->speed = STROBE_ABSENT_F64;
    record->processor = STROBE_ABSENT_U32;
    host->commit(writer);
}

static void record_row(HostDisk *disk, StrobeWriter *writer, const char *name,
                       const struct strobe_host_disk *row, uint64_t at)
{
    const StrobeHost *host = disk->context->host;
    StrobeStringId id = host_name(disk->context, writer, name);
    struct strobe_host_disk *record = host->reserve(writer, disk->kind, disk->track, id, at, 0);

    if (!record)
        return;
    memcpy(record, row, sizeof *row);
    host->commit(writer);
}

/* Records the row of the process. Subtracts from the written bytes the data that was truncated
 * before it reached the disk; the result is never negative. */
static void record_process(HostDisk *disk, StrobeWriter *writer, const Account *now, double waited)
{
    const Account *last = &disk->last;
    uint64_t interval = now->at - last->at, at = disk->context->host->now();
    uint64_t written = host_grown(now->write_bytes, last->write_bytes);
    uint64_t cut = host_grown(now->cut, last->cut);
    struct strobe_host_disk row = {
        .read_bytes = host_grown(now->read_bytes, last->read_bytes),
        .write_bytes = host_grown(written, cut),
        .reads = host_grown(now->reads, last->reads),
        .writes = host_grown(now->writes, last->writes),
        .read_chars = host_grown(now->read_chars, last->read_chars),
        .write_chars = host_grown(now->write_chars, last->write_chars),
        .utilisation = waited,
        .queue = STROBE_ABSENT_F64,
        .interval = interval,
    };

    row.read_rate = host_rate(row.read_bytes, interval);
    row.write_rate = host_rate(row.write_bytes, interval);
    record_row(disk, writer, "Process", &row, at);
    record_usage(disk, writer, &row, at);
}

static void sample_process(HostDisk *disk, StrobeWriter *writer)
{
    Account now;
    uint64_t delay = 0;
    double waited = STROBE_ABSENT_F64;

    errno = 0;
    if (read_account(disk, &now) != 0) {
        host_report(disk->context, &disk->has_failed, "io");
        disk->has_last = 0;
        return;
    }
    int has_delay = read_delay(disk, &delay) == 0;
    if (disk->has_last && now.at <= disk->last.at)
        return;
    if (has_delay && disk->has_last)
        waited = host_percent(host_grown(delay, disk->last_delay) * disk->context->tick_ns,
                              now.at - disk->last.at);
    if (disk->has_last)
        record_process(disk, writer, &now, waited);
    disk->last = now;
    disk->last_delay = delay;
    disk->has_last = 1;
}

/* Returns whether `name` is a device, not a partition: only devices have an entry in block/. */
static int is_whole_device(const HostContext *context, const char *name)
{
    char path[1024];

    snprintf(path, sizeof path, "%.900s/block/%s", context->sys_root, name);
    return access(path, F_OK) == 0;
}

static Device *find_device(HostDisk *disk, const char *name)
{
    Device *device;

    for (uint32_t i = 0; i < disk->n_devices; i++)
        if (!strcmp(disk->devices[i].name, name))
            return &disk->devices[i];
    if (disk->n_devices == DEVICES_MAX)
        return NULL;
    device = &disk->devices[disk->n_devices++];
    memset(device, 0, sizeof *device);
    snprintf(device->name, sizeof device->name, "%s", name);
    device->is_part = (uint8_t)!is_whole_device(disk->context, name);
    return device;
}

static void record_device(HostDisk *disk, StrobeWriter *writer, const Device *last,
                          const Device *now)
{
    uint64_t interval = now->at - last->at;
    struct strobe_host_disk row = {
        .read_bytes = (now->read_sectors - last->read_sectors) * SECTOR,
        .write_bytes = (now->write_sectors - last->write_sectors) * SECTOR,
        .reads = now->reads - last->reads,
        .writes = now->writes - last->writes,
        .read_chars = STROBE_ABSENT_U64,
        .write_chars = STROBE_ABSENT_U64,
        .utilisation = host_percent(host_grown(now->busy_ms, last->busy_ms) * 1000000u, interval),
        .queue = (double)host_grown(now->queue_ms, last->queue_ms) * 1e6 / (double)interval,
        .interval = interval,
    };

    row.read_rate = host_rate(row.read_bytes, interval);
    row.write_rate = host_rate(row.write_bytes, interval);
    if (row.utilisation > 100)
        /* the kernel counts in ms and updates the counter late, so the value may exceed 100 */
        row.utilisation = 100;
    record_row(disk, writer, last->name, &row, disk->context->host->now());
}

static int is_reset(const Device *last, const Device *now)
{
    return now->reads < last->reads || now->writes < last->writes ||
           now->read_sectors < last->read_sectors || now->write_sectors < last->write_sectors;
}

/* Reads "major minor name", then: reads, merged, sectors, ms, writes, merged, sectors, ms, in
 * flight, busy ms, weighted ms. A device without any reads or writes gets no row. */
static void take_line(HostDisk *disk, StrobeWriter *writer, const char *at, uint64_t now_ns)
{
    char name[32];
    Device now = {.at = now_ns};
    uint64_t skipped;

    if (strobe_sys_skip(&at, 2) != 0)
        return;
    at += strspn(at, " ");
    size_t length = strcspn(at, " \n");
    if (length == 0 || length >= sizeof name)
        return;
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    at += length;
    if (strobe_sys_number(&at, &now.reads) || strobe_sys_number(&at, &skipped) ||
        strobe_sys_number(&at, &now.read_sectors) || strobe_sys_number(&at, &skipped) ||
        strobe_sys_number(&at, &now.writes) || strobe_sys_number(&at, &skipped) ||
        strobe_sys_number(&at, &now.write_sectors) || strobe_sys_number(&at, &skipped) ||
        strobe_sys_number(&at, &skipped) || strobe_sys_number(&at, &now.busy_ms) ||
        strobe_sys_number(&at, &now.queue_ms))
        return;
    Device *device = now.reads + now.writes > 0 ? find_device(disk, name) : NULL;
    if (!device || device->is_part)
        return;
    /* a device that was removed in between gets no row */
    if (device->at && device->round + 1 == disk->round && !is_reset(device, &now))
        record_device(disk, writer, device, &now);
    memcpy(now.name, device->name, sizeof now.name);
    now.round = disk->round;
    *device = now;
}

static void sample_devices(HostDisk *disk, StrobeWriter *writer)
{
    HostContext *context = disk->context;
    uint64_t now = host_clock(context);

    if (disk->devices_at && now - disk->devices_at < HOST_SLOW_NS)
        return;
    errno = 0;
    if (strobe_sys_read_lines(disk->diskstats, context->text, context->text_size) < 0) {
        host_report(context, &disk->has_failed_devices, "diskstats");
        return;
    }
    disk->devices_at = now;
    disk->round++;
    for (const char *line = context->text; line; line = strobe_sys_next_line(line))
        take_line(disk, writer, line, now);
}

static void disk_sample(void *state, StrobeWriter *writer)
{
    HostDisk *disk = state;

    if (disk->io >= 0)
        sample_process(disk, writer);
    if (disk->diskstats >= 0)
        sample_devices(disk, writer);
}

static void disk_start(void *state)
{
    HostDisk *disk = state;

    disk->has_last = 0;
    disk->devices_at = 0;
    /* so that the next sample computes no difference from earlier counts, which are too old */
    disk->round += 2;
}

static void disk_close(void *state)
{
    HostDisk *disk = state;

    strobe_sys_close(&disk->io);
    strobe_sys_close(&disk->stat);
    strobe_sys_close(&disk->diskstats);
    free(disk);
}

static int counts_delays(HostContext *context)
{
    char text[16];

    return strobe_sys_read_path(context->proc_root, "sys/kernel/task_delayacct", text,
                                sizeof text) > 0 &&
           text[0] == '1';
}

static StrobeStatus disk_open(HostContext *context, void **state)
{
    char name[64];
    Account account;
    HostDisk *disk = calloc(1, sizeof *disk);

    if (!disk)
        return STROBE_ERROR_MEMORY;
    disk->context = context;
    disk->has_delays = counts_delays(context);
    snprintf(name, sizeof name, "%d/stat", (int)context->pid);
    disk->stat = disk->has_delays ? strobe_sys_open(context->proc_root, name) : -1;
    disk->diskstats = strobe_sys_open(context->proc_root, "diskstats");
    snprintf(name, sizeof name, "%d/io", (int)context->pid);
    disk->io = strobe_sys_open(context->proc_root, name);
    if (disk->io >= 0 && (errno = 0, read_account(disk, &account)) != 0)
        strobe_sys_close(&disk->io);
    StrobeStatus status =
        disk->io < 0 && disk->diskstats < 0
            ? host_unavailable(context, context->proc_root, name)
            : context->host->kind(context->self, &strobe_kind_host_disk, &disk->kind);
    if (status == STROBE_OK)
        status = context->host->kind(context->self, &strobe_kind_usage, &disk->usage_kind);
    if (status != STROBE_OK) {
        disk_close(disk);
        return status;
    }
    disk->track = host_counter_track(context, "Disk Usage");
    *state = disk;
    return STROBE_OK;
}

const HostItem host_item_disk = {.name = "disk",
                                 .open = disk_open,
                                 .start = disk_start,
                                 .sample = disk_sample,
                                 .close = disk_close};
