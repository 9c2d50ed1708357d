/* SPDX-License-Identifier: Apache-2.0 */
#include "slots.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>
#include <unistd.h>

#include <strobe/helpers/sys-file.h>

#define DEVICES "bus/pci/devices"

typedef struct Walk {
    const StrobeHost *host; /* NULL: the links are only counted */
    const char *root;
    StrobeWriter *writer;
    StrobeKindId kind;
    unsigned n;
} Walk;

static int read_metadata_entry(const Walk *walk, const char *device, const char *file, char *text,
                               size_t size)
{
    char name[256];

    snprintf(name, sizeof name, DEVICES "/%.64s/%s", device, file);
    if (strobe_sys_read_path(walk->root, name, text, size) < 0)
        return -1;
    text[strcspn(text, "\n")] = '\0';
    return 0;
}

/* Returns whether the device's class is that of a display controller (03) or a processing
 * accelerator (12). */
static int is_accelerator(const Walk *walk, const char *device)
{
    char text[32];

    return read_metadata_entry(walk, device, "class", text, sizeof text) == 0 &&
           (!strncmp(text, "0x03", 4) || !strncmp(text, "0x12", 4));
}

/* Returns the link's capacity in one direction. The line code is 8b/10b up to 5 GT/s, and 128b/130b
 * above. */
static double bytes_per_second(double transfers, double width)
{
    return transfers * 1e9 * width / 8 * (transfers > 5.5 ? 128.0 / 130.0 : 0.8);
}

static void describe_link(const Walk *walk, const char *device, char *text, size_t size)
{
    static const char *const ends[] = {"current", "max"};
    char speed[64], width[32], file[64];
    size_t length = 0;

    text[0] = '\0';
    for (int i = 0; i < 2; i++) {
        snprintf(file, sizeof file, "%s_link_speed", ends[i]);
        if (read_metadata_entry(walk, device, file, speed, sizeof speed) != 0)
            continue;
        snprintf(file, sizeof file, "%s_link_width", ends[i]);
        if (read_metadata_entry(walk, device, file, width, sizeof width) != 0)
            continue;
        double transfers = strtod(speed, NULL), thread_buffers = strtod(width, NULL);
        if (transfers <= 0 || thread_buffers <= 0)
            continue; /* the value is "Unknown" if the link is down or virtual */
        length += (size_t)snprintf(text + length, size - length, "%s%s: %.1f GT/s x%.0f, %.3f GB/s",
                                   length ? "; " : "", ends[i], transfers, thread_buffers,
                                   bytes_per_second(transfers, thread_buffers) / 1e9);
    }
}

static int take_device(void *user, const char *device)
{
    Walk *walk = user;
    char name[80], text[256];

    if (!is_accelerator(walk, device))
        return 0;
    describe_link(walk, device, text, sizeof text);
    if (!text[0])
        return 0;
    walk->n++;
    if (!walk->host)
        return 0;
    snprintf(name, sizeof name, "pcie.%.64s", device);
    StrobeStringId id = walk->host->intern(walk->writer, name, strlen(name));
    StrobeStringId value = walk->host->intern(walk->writer, text, strlen(text));
    struct strobe_metadata *record =
        walk->host->reserve(walk->writer, walk->kind, 0, id, walk->host->now(), 0);
    if (record) {
        record->value = value;
        record->is_json = 0;
        walk->host->commit(walk->writer);
    }
    return 0;
}

static void each_device(Walk *walk)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/" DEVICES, walk->root);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    strobe_sys_each(folder, take_device, walk);
    close(folder);
}

unsigned interconnect_count_slots(const char *sys_root)
{
    Walk walk = {.root = sys_root};

    each_device(&walk);
    return walk.n;
}

void interconnect_record_slots(const StrobeHost *host, const char *sys_root, StrobeWriter *writer,
                               StrobeKindId kind)
{
    Walk walk = {.host = host, .root = sys_root, .writer = writer, .kind = kind};

    each_device(&walk);
}
