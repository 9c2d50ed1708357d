/* SPDX-License-Identifier: Apache-2.0 */
/* A template of an importer: reads text files of lines "begin_ns duration_ns name" after a line
 * "#timeline". */
#include <strobe/strobe-plugin.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC "#timeline\n"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_STRING,
        .name = "row",
        .default_value = "timeline",
        .summary = "Name of the row in which the events are shown.",
    },
};

static const StrobeField fields[] = {
    {"line", STROBE_FIELD_U64, 0, "", "Number of the event's line in the file."},
};
static const StrobeKind event_kind =
    STROBE_KIND("template_importer.event", SPAN, fields, "One event of a timeline.");

typedef struct Timeline {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    StrobeKindId kind;
    StrobeTrackId track;
    uint64_t line, rows;
} Timeline;

/* Decides by the content of the file, here by its first bytes. */
static void timeline_probe(const StrobeSource *source, StrobeSourceProbe *answer)
{
    size_t n = strlen(MAGIC);

    if (source->n_head >= n && memcmp(source->head, MAGIC, n) == 0)
        answer->score = 100;
}

/* Reads one line. Reports an invalid line, so that the import continues with the next line. */
static int take_line(Timeline *timeline, const char *text)
{
    long long begin, duration, end;
    char place[32];
    int name = 0;
    uint64_t *line;

    if (sscanf(text, "%lld %lld %n", &begin, &duration, &name) < 2 || !name || duration < 0 ||
        __builtin_add_overflow(begin, duration, &end)) {
        snprintf(place, sizeof place, "line %llu", (unsigned long long)timeline->line);
        timeline->host->damage(timeline->self, place, "expected \"begin_ns duration_ns name\"");
        return 0;
    }
    line = timeline->host->emit(
        timeline->self, timeline->kind, timeline->track,
        timeline->host->intern(timeline->self, text + name, strcspn(text + name, "\r\n")), begin,
        end);
    if (!line)
        return -1;
    *line = timeline->line;
    timeline->rows++;
    return 0;
}

static StrobeStatus read_lines(Timeline *timeline, FILE *file)
{
    char *text = NULL;
    size_t size = 0;
    int failed = 0;

    while (!failed && getline(&text, &size, file) >= 0)
        if (++timeline->line > 1)
            failed = take_line(timeline, text);
    free(text);
    if (failed)
        return timeline->host->fail(timeline->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                                    "The capture has no room");
    timeline->host->found(timeline->self, "events", timeline->rows);
    return STROBE_OK;
}

static StrobeStatus timeline_import(const StrobeImporterHost *host, StrobeInstance *self,
                                    const StrobeSource *source)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_STREAM,
                               .device = -1,
                               .name = host->option_text(self, "row")};
    Timeline timeline = {.host = host, .self = self};
    StrobeStatus status = host->kind(self, &event_kind, &timeline.kind);
    const int copy = status ? -1 : dup(source->descriptor); /* the descriptor is lent */
    FILE *file = copy < 0 ? NULL : fdopen(copy, "r");

    if (status)
        return status;
    if (!file) {
        status = host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__, "Cannot read %s: %s",
                            source->path, strerror(errno));
        if (copy >= 0)
            close(copy);
        return status;
    }
    timeline.track = host->track(self, &track, 0);
    status = read_lines(&timeline, file);
    fclose(file);
    return status;
}

static const StrobeImporterOps ops = {
    .struct_size = sizeof(StrobeImporterOps),
    .probe = timeline_probe,
    .import = timeline_import,
};

static const StrobeKind *const kinds[] = {&event_kind};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_IMPORTER,
    .n_options = sizeof options / sizeof options[0],
    .name = "template_importer",
    .summary = "Reads timelines with one event on each line.",
    .options = options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof kinds[0],
    .ops = &ops,
};

STROBE_PLUGIN(component, .name = "template_importer", .version = "1.0.0",
              .summary = "An importer to copy.", .license = "Apache-2.0", .vendor = "Example");
