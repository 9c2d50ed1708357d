/* SPDX-License-Identifier: Apache-2.0 */
/* strobe info: prints the contents of a capture and its missing data. */
#include <string.h>

#include <strobe/kinds.h>

#include "capture-contents.h"
#include "clock-report.h"
#include "command.h"
#include "job-result.h"
#include "json-text.h"
#include "link-report.h"
#include "memory-flags.h"
#include "completeness-report.h"
#include "terminal.h"

#define METADATA_ENTRY_WIDTH_MAX 300
#define LOSSES_MAX 20
#define STEPS_MAX 20
#define TRACKS_SHOWN 200u

static const StrobeUsage usage = {
    .name = "info",
    .arguments = "CAPTURE_OR_DIR...",
    .summary =
        "Prints the contents of a capture: kinds of records and their number, tracks, the\n"
        "window, its duration, the cost of profiling, the error of times, damage, and losses by\n"
        "cause, thread, time and step. For device work it prints how many calls and tasks were\n"
        "linked, and how device clocks were converted to the host clock. It changes nothing.\n"
        "For a capture in several segments, name the directory to read all of them, or one file\n"
        "to read only this segment. A JOB directory of a camera board is read as `strobe\n"
        "import` reads it.",
    .examples = "Examples:\n"
                "  strobe info results\n"
                "  strobe info capture.strobe --json",
};

static void add_line(StrobeGrid *grid, const char *what, char *text)
{
    strobe_grid_add(grid, what);
    strobe_grid_add(grid, text);
    g_free(text);
}

static const char *state_text(const StrobeReaderStats *stats)
{
    if (stats->continued)
        return "complete up to here: a later segment goes on";
    if (stats->recovered)
        return "recovered: the program and its writer ended without closing it";
    return stats->sealed ? "complete"
                         : "open: still being written, or its program was killed "
                           "(\"strobe analyse\" recovers it)";
}

/* Returns a text about the segments of the capture. NULL: the capture is a single file. */
static char *segments_text(const StrobeReaderStats *stats, const StrobeResult *result)
{
    if (stats->n_segments == 1 && stats->first_segment == 0 && !stats->continued)
        return NULL;
    if (strcmp(result->source, result->capture) == 0)
        return g_strdup_printf("only number %" G_GUINT64_FORMAT, stats->first_segment + 1);
    if (stats->first_segment == 0)
        return g_strdup_printf("%" G_GUINT64_FORMAT, stats->n_segments);
    return g_strdup_printf("%" G_GUINT64_FORMAT ", from number %" G_GUINT64_FORMAT
                           " on: earlier ones were rolled away",
                           stats->n_segments, stats->first_segment + 1);
}

/* Prints the metadata that are single values, such as pid and host. Members that are objects or
 * arrays are not printed. */
static void print_metadata(StrobeGrid *grid, JsonObject *metadata)
{
    g_autoptr(GList) names = metadata ? json_object_get_members(metadata) : NULL;

    for (GList *name = names; name; name = name->next) {
        JsonNode *node = json_object_get_member(metadata, name->data);
        /* "clock" has its own line */
        if (!JSON_NODE_HOLDS_VALUE(node) || strcmp(name->data, "clock") == 0)
            continue;
        add_line(grid, name->data,
                 json_node_get_value_type(node) == G_TYPE_STRING
                     ? g_strdup(json_node_get_string(node))
                     : strobe_json_to_text(node, 0));
    }
}

/* Prints the folders that contained external data, and the outcome of their import. */
static void print_external(StrobeGrid *grid, JsonObject *metadata)
{
    JsonNode *node = metadata && json_object_has_member(metadata, "external")
                         ? json_object_get_member(metadata, "external")
                         : NULL;
    JsonArray *entries = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;

    for (guint i = 0; entries && i < json_array_get_length(entries); i++) {
        JsonNode *element = json_array_get_element(entries, i);
        JsonObject *entry = JSON_NODE_HOLDS_OBJECT(element) ? json_node_get_object(element) : NULL;

        if (!entry)
            continue;
        const char *problem = strobe_json_member_text(entry, "problem");
        add_line(grid, "external data",
                 g_strdup_printf("%s: %" G_GINT64_FORMAT " records%s%s",
                                 strobe_json_member_text(entry, "directory"),
                                 strobe_json_member_int(entry, "records", 0), *problem ? "; " : "",
                                 problem));
    }
}

static void print_overview(const StrobeContents *contents, const StrobeResult *result)
{
    StrobeGrid *grid = strobe_grid_new();
    const StrobeReaderStats *stats = &contents->stats;
    gint64 duration = stats->end_ns - stats->begin_ns;

    strobe_grid_add_column(grid, NULL, FALSE, 0);
    strobe_grid_add_column(grid, NULL, FALSE, METADATA_ENTRY_WIDTH_MAX);
    add_line(grid, "capture", g_strdup(result->capture));
    add_line(grid, "state", g_strdup(state_text(stats)));
    char *segments = segments_text(stats, result);
    if (segments)
        add_line(grid, "segments", segments);
    add_line(grid, "begin", strobe_text_time(stats->begin_ns));
    add_line(grid, "duration", strobe_text_duration(duration));
    add_line(grid, "records", g_strdup_printf("%" G_GUINT64_FORMAT, stats->n_records));
    add_line(grid, "steps", g_strdup_printf("%" G_GUINT64_FORMAT, contents->n_steps));
    add_line(grid, "unfinished", g_strdup_printf("%" G_GUINT64_FORMAT, stats->n_unfinished));
    add_line(grid, "size", strobe_text_bytes(stats->n_bytes));
    add_line(grid, "clock", strobe_clock_line(stats, contents->metadata));
    for (guint i = 0; i < contents->device_clocks->len; i++)
        add_line(grid, "device clock",
                 strobe_device_clock_line(g_ptr_array_index(contents->device_clocks, i)));
    if (stats->n_unsure)
        add_line(grid, "unsure",
                 g_strdup_printf("%" G_GUINT64_FORMAT " records of devices: their time on the "
                                 "host clock is uncertain",
                                 stats->n_unsure));
    if (stats->n_device_outside)
        add_line(grid, "outside",
                 g_strdup_printf("%" G_GUINT64_FORMAT " records of devices are left out: by the "
                                 "device's clock they begin outside of the window",
                                 stats->n_device_outside));
    g_autofree char *overhead = strobe_text_duration(contents->overhead_ns);
    add_line(
        grid, "overhead",
        g_strdup_printf("%s in calls to collectors, before, in and after the window", overhead));
    print_metadata(grid, contents->metadata);
    print_external(grid, contents->metadata);
    strobe_grid_print(grid, stdout);
    strobe_grid_free(grid);
}

static void print_kinds(const StrobeContents *contents)
{
    StrobeGrid *grid = strobe_grid_new();

    strobe_grid_add_column(grid, "Kind", FALSE, 0);
    strobe_grid_add_column(grid, "Shape", FALSE, 0);
    strobe_grid_add_column(grid, "Records", TRUE, 0);
    strobe_grid_add_column(grid, "Total time", TRUE, 0);
    for (guint i = 0; i < contents->kinds->len; i++) {
        const StrobeKindCount *kind = g_ptr_array_index(contents->kinds, i);
        g_autofree char *total =
            kind->shape == STROBE_SHAPE_SPAN ? strobe_text_duration(kind->total_ns) : NULL;
        strobe_grid_add(grid, kind->name);
        strobe_grid_add(grid, strobe_shape_name(kind->shape));
        strobe_grid_printf(grid, "%" G_GUINT64_FORMAT, kind->n);
        strobe_grid_add(grid, total);
    }
    putchar('\n');
    strobe_grid_print(grid, stdout);
    strobe_grid_free(grid);
}

static int compare_tracks(gconstpointer a, gconstpointer b)
{
    guint64 first = (*(StrobeTrackCount *const *)a)->n;
    guint64 second = (*(StrobeTrackCount *const *)b)->n;

    return first < second ? 1 : first > second ? -1 : 0;
}

/* Prints all tracks; if there are very many, those with the most records. */
static void print_tracks(const StrobeContents *contents)
{
    g_autoptr(GPtrArray) tracks = g_ptr_array_sized_new(contents->tracks->len);
    StrobeGrid *grid = strobe_grid_new();
    guint64 n_hidden = 0;

    strobe_grid_add_column(grid, "Track", FALSE, 60);
    strobe_grid_add_column(grid, "Process", TRUE, 0);
    strobe_grid_add_column(grid, "Records", TRUE, 0);
    for (guint i = 0; i < contents->tracks->len; i++)
        g_ptr_array_add(tracks, g_ptr_array_index(contents->tracks, i));
    if (tracks->len > TRACKS_SHOWN)
        g_ptr_array_sort(tracks, compare_tracks);
    for (guint i = 0; i < tracks->len; i++) {
        const StrobeTrackCount *track = g_ptr_array_index(tracks, i);
        if (i >= TRACKS_SHOWN) {
            n_hidden += track->n;
            continue;
        }
        strobe_grid_add(grid, track->label);
        strobe_grid_printf(grid, "%" G_GUINT64_FORMAT, track->pid);
        strobe_grid_printf(grid, "%" G_GUINT64_FORMAT, track->n);
    }
    putchar('\n');
    strobe_grid_print(grid, stdout);
    strobe_grid_free(grid);
    if (tracks->len > TRACKS_SHOWN)
        printf("and %u more tracks with %" G_GUINT64_FORMAT " records (--json lists all)\n",
               tracks->len - TRACKS_SHOWN, n_hidden);
}

static void print_loss(StrobeGrid *grid, const StrobeLossCount *loss)
{
    g_autofree char *begin = strobe_text_time(loss->begin_ns);
    g_autofree char *end = strobe_text_time(loss->end_ns);

    strobe_grid_add(grid, strobe_loss_name(loss->cause));
    strobe_grid_add(grid, loss->thread ? loss->thread : "any");
    strobe_grid_printf(grid, "%" G_GUINT64_FORMAT, loss->n);
    strobe_grid_add(grid, begin);
    strobe_grid_add(grid, end);
}

/* Prints the losses by cause and thread, with their times. */
static void print_loss_report(const StrobeContents *contents)
{
    StrobeGrid *grid = strobe_grid_new();
    guint n = MIN(contents->losses->len, LOSSES_MAX);

    strobe_grid_add_column(grid, "Lost because of", FALSE, 0);
    strobe_grid_add_column(grid, "Thread", FALSE, 60);
    strobe_grid_add_column(grid, "Records", TRUE, 0);
    strobe_grid_add_column(grid, "Between", FALSE, 0);
    strobe_grid_add_column(grid, "and", FALSE, 0);
    for (guint i = 0; i < n; i++)
        print_loss(grid, g_ptr_array_index(contents->losses, i));
    putchar('\n');
    strobe_grid_print(grid, stdout);
    strobe_grid_free(grid);
    if (contents->losses->len > n)
        printf("and %u more\n", contents->losses->len - n);
}

static void print_incomplete_steps(const GArray *steps)
{
    if (steps->len == 0)
        return;
    printf("Incomplete steps:");
    for (guint i = 0; i < MIN(steps->len, STEPS_MAX); i++)
        printf("%s %" G_GINT64_FORMAT, i ? "," : "", g_array_index(steps, gint64, i));
    if (steps->len > STEPS_MAX)
        printf(" and %u more", steps->len - STEPS_MAX);
    puts(" (records were lost in their time)");
}

static void print_losses(const StrobeContents *contents)
{
    const StrobeReaderStats *stats = &contents->stats;
    guint64 stored = strobe_reader_stats_stored(stats), lost = strobe_reader_stats_lost(stats);

    if (contents->losses->len > 0)
        print_loss_report(contents);
    putchar('\n');
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        if (stats->lost[i] > 0 && i != STROBE_LOSS_STRING_CUT)
            printf("Lost: %" G_GUINT64_FORMAT " %s (%s)\n", stats->lost[i], strobe_loss_name(i),
                   strobe_loss_text(i));
    if (lost == 0)
        puts("Lost: nothing");
    printf("Offered: %" G_GUINT64_FORMAT " = %" G_GUINT64_FORMAT " stored + %" G_GUINT64_FORMAT
           " lost\n",
           stored + lost, stored, lost);
    if (stats->lost[STROBE_LOSS_STRING_CUT])
        printf("Texts cut or left out: %" G_GUINT64_FORMAT " %s (%s)\n",
               stats->lost[STROBE_LOSS_STRING_CUT], strobe_loss_name(STROBE_LOSS_STRING_CUT),
               strobe_loss_text(STROBE_LOSS_STRING_CUT));
    if (stats->n_nameless)
        printf("Nameless: %" G_GUINT64_FORMAT " records have lost their names: a name was stored "
               "elsewhere, and that part was lost or is too far before the record\n",
               stats->n_nameless);
    print_incomplete_steps(contents->incomplete_steps);
    for (char **text = contents->damage; text && *text; text++) {
        g_autofree char *shown = strobe_text_printable(*text, strlen(*text));
        printf("Damaged: %s\n", shown);
    }
    if (stats->n_damaged > g_strv_length(contents->damage ? contents->damage : (char *[]){NULL}))
        printf("Damaged: %" G_GUINT64_FORMAT " places in all\n", stats->n_damaged);
}

static void print_clock_events(const StrobeContents *contents)
{
    for (guint i = 0; i < contents->n_clock_events; i++) {
        g_autofree char *line =
            strobe_clock_event_line(&contents->clock_events[i], &contents->stats);
        printf("Clock: %s\n", line);
    }
    if (contents->n_clock_events == STROBE_CLOCK_EVENTS_MAX)
        printf("Clock: %u jumps in all\n", contents->stats.clock.n_jumps);
}

static void write_uint(StrobeJsonWriter *json, const char *key, guint64 value)
{
    strobe_json_key(json, key);
    strobe_json_uint(json, value);
}

static void write_int(StrobeJsonWriter *json, const char *key, gint64 value)
{
    strobe_json_key(json, key);
    strobe_json_int(json, value);
}

static void write_overview(StrobeJsonWriter *json, const StrobeContents *contents,
                           const StrobeResult *result)
{
    const StrobeReaderStats *stats = &contents->stats;

    strobe_json_key(json, "directory");
    strobe_json_string(json, result->directory);
    strobe_json_key(json, "capture");
    strobe_json_string(json, result->capture);
    strobe_json_key(json, "sealed");
    strobe_json_bool(json, stats->sealed);
    strobe_json_key(json, "recovered");
    strobe_json_bool(json, stats->recovered);
    strobe_json_key(json, "continued");
    strobe_json_bool(json, stats->continued);
    write_uint(json, "segments", stats->n_segments);
    write_uint(json, "first_segment", stats->first_segment + 1);
    write_int(json, "begin_ns", stats->begin_ns);
    write_int(json, "end_ns", stats->end_ns);
    write_int(json, "overhead_ns", contents->overhead_ns);
    write_uint(json, "records", stats->n_records);
    write_uint(json, "offered",
               strobe_reader_stats_stored(stats) + strobe_reader_stats_lost(stats));
    write_uint(json, "stored", strobe_reader_stats_stored(stats));
    write_uint(json, "steps", contents->n_steps);
    write_uint(json, "unfinished", stats->n_unfinished);
    write_uint(json, "outside", stats->n_outside);
    write_uint(json, "device_outside", stats->n_device_outside);
    write_uint(json, "nameless", stats->n_nameless);
    write_uint(json, "unsure", stats->n_unsure);
    write_uint(json, "blocks", stats->n_blocks);
    write_uint(json, "bytes", stats->n_bytes);
    write_uint(json, "damaged", stats->n_damaged);
    strobe_json_key(json, "clock");
    strobe_clock_write(json, stats, contents->metadata, contents->clock_events,
                       contents->n_clock_events);
    strobe_json_key(json, "device_clocks");
    strobe_device_clocks_write(json, contents->device_clocks);
    if (contents->metadata) {
        g_autofree char *metadata = strobe_json_object_to_text(contents->metadata, 0);
        strobe_json_key(json, "metadata");
        strobe_json_raw(json, metadata, strlen(metadata));
    }
}

static void write_loss(StrobeJsonWriter *json, const StrobeLossCount *loss)
{
    strobe_json_begin_object(json);
    strobe_json_key(json, "cause");
    strobe_json_string(json, strobe_loss_name(loss->cause));
    strobe_json_key(json, "track");
    strobe_json_string(json, loss->thread);
    strobe_json_key(json, "thread");
    if (loss->thread)
        strobe_json_uint(json, loss->number);
    else
        strobe_json_null(json);
    write_uint(json, "records", loss->n);
    write_int(json, "begin_ns", loss->begin_ns);
    write_int(json, "end_ns", loss->end_ns);
    strobe_json_end_object(json);
}

/* Writes the losses by cause, and by cause and thread. */
static void write_losses(StrobeJsonWriter *json, const StrobeContents *contents)
{
    strobe_json_key(json, "lost");
    strobe_json_begin_object(json);
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        write_uint(json, strobe_loss_name(i), contents->stats.lost[i]);
    strobe_json_end_object(json);
    strobe_json_key(json, "losses");
    strobe_json_begin_array(json);
    for (guint i = 0; i < contents->losses->len; i++)
        write_loss(json, g_ptr_array_index(contents->losses, i));
    strobe_json_end_array(json);
    strobe_json_key(json, "incomplete_steps");
    strobe_json_begin_array(json);
    for (guint i = 0; i < contents->incomplete_steps->len; i++)
        strobe_json_int(json, g_array_index(contents->incomplete_steps, gint64, i));
    strobe_json_end_array(json);
    strobe_json_key(json, "damage");
    strobe_json_begin_array(json);
    for (char **text = contents->damage; text && *text; text++)
        strobe_json_string(json, *text);
    strobe_json_end_array(json);
}

static void write_lists(StrobeJsonWriter *json, const StrobeContents *contents)
{
    strobe_json_key(json, "kinds");
    strobe_json_begin_object(json);
    for (guint i = 0; i < contents->kinds->len; i++) {
        const StrobeKindCount *kind = g_ptr_array_index(contents->kinds, i);
        strobe_json_key_text(json, kind->name, strlen(kind->name));
        strobe_json_uint(json, kind->n);
    }
    strobe_json_end_object(json);
    strobe_json_key(json, "tracks");
    strobe_json_begin_array(json);
    for (guint i = 0; i < contents->tracks->len; i++) {
        const StrobeTrackCount *track = g_ptr_array_index(contents->tracks, i);
        strobe_json_begin_object(json);
        strobe_json_key(json, "name");
        strobe_json_string(json, track->label);
        write_uint(json, "pid", track->pid);
        write_uint(json, "records", track->n);
        strobe_json_end_object(json);
    }
    strobe_json_end_array(json);
}

/* Prints the contents of a result or, if `json` is not NULL, writes them as an object. `job` (may
 * be NULL) is shown instead of the capture's path. Returns an exit code. */
static int describe_result(StrobeRegistry *registry, const StrobeResult *result, const char *job,
                           StrobeJsonWriter *json, gboolean is_first)
{
    const StrobeResult shown = {.directory = result->directory,
                                .capture = job ? (char *)job : result->capture,
                                .source = result->source};
    GError *error = NULL;
    StrobeContents *contents = strobe_contents_read(result->source, &error);

    if (!contents)
        return strobe_command_fail(error);
    StrobeRows *links = strobe_links_read(registry, result, contents, json != NULL);
    if (json) {
        strobe_json_begin_object(json);
        write_overview(json, contents, &shown);
        write_lists(json, contents);
        write_losses(json, contents);
        strobe_json_key(json, "correlation");
        strobe_links_write(json, links);
        strobe_json_end_object(json);
    } else {
        if (!is_first)
            puts("\n");
        print_overview(contents, &shown);
        print_kinds(contents);
        print_tracks(contents);
        strobe_links_print(links);
        print_losses(contents);
        print_clock_events(contents);
    }
    strobe_rows_free(links);
    strobe_contents_free(contents);
    return 0;
}

static int run_info(char **paths, StrobeJsonWriter *json)
{
    StrobeRegistry *registry = strobe_registry_new(NULL);
    int code = 0;
    gboolean is_first = TRUE;

    for (; *paths; paths++) {
        GError *error = NULL;
        StrobeReadResults found;
        if (!strobe_read_results_find(&found, *paths, registry, &error)) {
            int failed = strobe_command_fail(error);
            code = code ? code : failed;
            continue;
        }
        for (guint i = 0; i < found.results->len; i++) {
            int failed = describe_result(registry, g_ptr_array_index(found.results, i), found.job,
                                         json, is_first);
            code = code ? code : failed;
            is_first = FALSE;
        }
        strobe_read_results_clear(&found);
    }
    strobe_registry_free(registry);
    return code;
}

int strobe_command_info(int argc, char **argv)
{
    StrobeMemoryFlags memory = {NULL, NULL};
    gboolean as_json = FALSE;
    int code = STROBE_EXIT_USAGE;
    const GOptionEntry entries[] = {
        STROBE_MAX_MEM_OPTION(&memory),
        STROBE_TMP_DIR_OPTION(&memory),
        {"json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON, one object for each capture",
         NULL},
        {NULL},
    };

    if (!strobe_command_parse(&usage, entries, &argc, &argv))
        return STROBE_EXIT_USAGE;
    if (argc < 2)
        return strobe_command_misuse(&usage, "A capture or a result directory is needed");
    if (!strobe_memory_flags_apply(&memory, &code))
        return code;
    StrobeJsonWriter *json = as_json ? strobe_json_open() : NULL;
    if (json)
        strobe_json_begin_array(json);
    code = run_info(argv + 1, json);
    if (json) {
        strobe_json_end_array(json);
        strobe_json_close(json);
    }
    return code;
}
