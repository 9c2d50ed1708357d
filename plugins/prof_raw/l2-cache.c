/* SPDX-License-Identifier: Apache-2.0 */
/* Reads l2_cache.data, which has eight counters for each task. sample.json says which events are
 * counted; the platform determines the meaning of an event. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prof_raw.h"

#define RECORD_BYTES 72u
#define EVENTS 8u
#define TERMS_MAX 6u

/* Events whose counts are added up to the number of requests, hits and evictions. */
typedef struct Platform {
    gint ids[5];
    gint request[TERMS_MAX], hit[TERMS_MAX], victim[TERMS_MAX];
} Platform;

static const Platform platforms[] = {
    {{1}, {0x59}, {0x5b}, {0x5c}},
    {{2, 3, 4}, {0x78, 0x79}, {0x6a}, {0x71}},
    {{5, 7, 8, 11}, {0xfb, 0xfc}, {0x90, 0x91}, {0x9c}},
};
/* Events of newer platforms. Their event for requests is 0, which cannot be in the lists above,
 * because 0 ends a list. */
#define NEW_REQUEST 0x00
static const gint new_ids[] = {15, 16};
static const gint new_misses[] = {0x81, 0x82, 0x83, 0x74, 0x75};
static const gint new_victims[] = {0x74, 0x75};

typedef struct L2 {
    Prof *prof;
    gint events[EVENTS]; /* -1: unknown */
    const Platform *platform;
    gboolean is_new;
} L2;

static void read_config(L2 *l2)
{
    const char *text = side_json_text(l2->prof->sample, "l2CacheTaskProfilingEvents");
    g_auto(GStrv) words = g_strsplit(text ? text : "", ",", EVENTS + 1);
    gint64 id = -1;

    for (guint i = 0; i < EVENTS; i++)
        l2->events[i] = -1;
    for (guint i = 0; i < EVENTS && words[i]; i++)
        l2->events[i] = (gint)strtol(g_strstrip(words[i]), NULL, 16);
    side_json_int(l2->prof->info, "platform_version", &id);
    for (guint i = 0; i < G_N_ELEMENTS(platforms); i++)
        for (guint k = 0; k < G_N_ELEMENTS(platforms[i].ids); k++)
            if (platforms[i].ids[k] && platforms[i].ids[k] == id)
                l2->platform = &platforms[i];
    l2->is_new = id == new_ids[0] || id == new_ids[1];
}

static double count_of(const L2 *l2, const char *record, gint event)
{
    for (guint i = 0; i < EVENTS; i++) {
        guint64 value;

        if (l2->events[i] != event)
            continue;
        memcpy(&value, record + 8 + 8 * i, sizeof value);
        return (double)GUINT64_FROM_LE(value);
    }
    return NAN;
}

static double sum_of(const L2 *l2, const char *record, const gint *events, guint n)
{
    double sum = 0;

    for (guint i = 0; i < n && events[i]; i++)
        sum += count_of(l2, record, events[i]);
    return sum;
}

static void fill_rates(const L2 *l2, const char *record, struct strobe_l2_cache *fields)
{
    double request, hit, victim;

    if (l2->is_new) {
        request = count_of(l2, record, NEW_REQUEST);
        hit = request - sum_of(l2, record, new_misses, G_N_ELEMENTS(new_misses));
        victim = sum_of(l2, record, new_victims, G_N_ELEMENTS(new_victims));
    } else if (l2->platform) {
        request = sum_of(l2, record, l2->platform->request, TERMS_MAX);
        hit = sum_of(l2, record, l2->platform->hit, TERMS_MAX);
        victim = sum_of(l2, record, l2->platform->victim, TERMS_MAX);
    } else {
        return;
    }
    fields->hit_rate = request == 0 ? 0 : hit / request;
    fields->victim_rate = request == 0 ? 0 : victim / request;
}

static guint16 u16_at(const char *at)
{
    guint16 value;

    memcpy(&value, at, sizeof value);
    return GUINT16_FROM_LE(value);
}

static StrobeTrackId stream_track(Prof *prof, guint stream)
{
    char name[32];
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_STREAM,
                               .device = prof->device,
                               .id = stream,
                               .name = name,
                               .group = "Ascend Hardware"};

    g_snprintf(name, sizeof name, "Stream %u", stream);
    return prof->host->track(prof->self, &track, prof->pid);
}

/* Gives all records the begin of the collection as their time, because the file does not have the
 * times of the tasks. */
void l2_cache_import(Prof *prof, Slices *slices)
{
    gint64 begin = prof->begin;
    L2 l2 = {.prof = prof};
    const char *at;

    read_config(&l2);
    if (!l2.platform && !l2.is_new)
        prof->host->damage(prof->self, prof->part, "no known platform_version: rates are left out");
    else if (l2.events[0] < 0)
        prof->host->damage(prof->self, prof->part, "sample.json has no events: rates are left out");
    while (!prof->is_full && (at = slices_record(slices, RECORD_BYTES))) {
        guint stream = u16_at(at + 2);
        struct strobe_l2_cache *fields =
            prof_emit(prof, &strobe_kind_l2_cache, stream_track(prof, stream), "", begin, begin);

        if (!fields)
            return;
        fields->stream = stream;
        fields->task_id = u16_at(at + 4);
        fill_rates(&l2, at, fields);
    }
}
