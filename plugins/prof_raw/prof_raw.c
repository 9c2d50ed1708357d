/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a directory PROF_* that has CANN's raw data to records. */
#include "prof_raw.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <external-folder.h>
#include <prof-start.h>

#define FOLDERS_MAX 256u

const StrobeKind *const prof_raw_kinds[PROF_RAW_KINDS] = {
    &strobe_kind_hccs,     &strobe_kind_pcie,  &strobe_kind_nic,     &strobe_kind_roce,
    &strobe_kind_l2_cache, &strobe_kind_usage, &strobe_kind_os_call,
};

/* The readers, each with the text with which the names of its files begin. */
static const struct {
    const char *name;
    void (*import)(Prof *prof, Slices *slices);
} readers[] = {
    {"hccs.data", hccs_import},
    {"pcie.data", pcie_import},
    {"nic.data", nic_import},
    {"roce.data", roce_import},
    {"l2_cache.data", l2_cache_import},
    {"host_cpu.data", host_cpu_import},
    {"host_mem.data", host_mem_import},
    {"host_network.data", host_network_import},
    {"host_disk.data", host_disk_import},
    {"host_syscall.data", host_syscall_import},
    {"host_pthreadcall.data", host_pthreadcall_import},
};

/* ---- functions that the parts share ---- */

void *prof_emit(Prof *prof, const StrobeKind *kind, StrobeTrackId track, const char *name,
                gint64 begin_ns, gint64 end_ns)
{
    StrobeKindId id = GPOINTER_TO_UINT(g_hash_table_lookup(prof->kinds, kind));
    void *fields = NULL;

    if (!id && prof->host->kind(prof->self, kind, &id) == STROBE_OK)
        g_hash_table_insert(prof->kinds, (gpointer)kind, GUINT_TO_POINTER(id));
    if (end_ns < begin_ns)
        prof->host->damage(prof->self, kind->name, "a record ends before it begins");
    if (id)
        fields = prof->host->emit(prof->self, id, track,
                                  *name ? prof->host->intern(prof->self, name, strlen(name)) : 0,
                                  begin_ns, MAX(begin_ns, end_ns));
    prof->is_full |= !fields;
    prof->n_rows++;
    return fields;
}

StrobeTrackId prof_counter(Prof *prof, const char *group)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_COUNTER,
                               .device = prof->device,
                               .group = group};

    return prof->host->track(prof->self, &track, prof->pid);
}

gint64 prof_time(const Prof *prof, guint64 ns)
{
    gint64 time;

    if (__builtin_add_overflow((gint64)MIN(ns, (guint64)G_MAXINT64 / 2), prof->offset, &time))
        return 0;
    return MAX(time, 0);
}

guint prof_words(char *line, char **words)
{
    guint n = 0;

    for (char *at = line; n < WORDS_MAX;) {
        while (*at && strchr(" \t\r:", *at))
            *at++ = 0;
        if (!*at)
            break;
        words[n++] = at;
        while (*at && !strchr(" \t\r:", *at))
            at++;
    }
    if (n == WORDS_MAX) /* ends the last word */
        words[n - 1][strcspn(words[n - 1], " \t\r:")] = 0;
    return n;
}

gboolean prof_whole(const char *word, guint64 *value)
{
    return g_ascii_string_to_unsigned(word, 10, 0, G_MAXUINT64, value, NULL);
}

gboolean prof_real(const char *word, double *value)
{
    char *end;

    *value = g_ascii_strtod(word, &end);
    return end != word && !*end && isfinite(*value);
}

/* ---- files of a folder ---- */

static void tell_slices(Prof *prof, const Slices *slices)
{
    g_autoptr(GString) why = g_string_new(NULL);

    if (slices->error)
        g_string_append_printf(why, "; %s", g_strerror(slices->error));
    if (slices->n_missing)
        g_string_append_printf(why, "; %" G_GUINT64_FORMAT " slices are missing",
                               slices->n_missing);
    if (slices->n_cut)
        g_string_append_printf(why,
                               "; %" G_GUINT64_FORMAT " lines next to them that may be incomplete",
                               slices->n_cut);
    if (slices->is_shifted)
        g_string_append(why, "; it is not known where records begin after them");
    if (slices->n_long)
        g_string_append_printf(why, "; %" G_GUINT64_FORMAT " lines of over %u KiB", slices->n_long,
                               SLICE_LINE_MAX >> 10);
    if (slices->n_left)
        g_string_append_printf(
            why, "; the last record is not complete: %" G_GUINT64_FORMAT " bytes", slices->n_left);
    if (prof->n_strange)
        g_string_append_printf(why, "; %" G_GUINT64_FORMAT " lines do not have the expected form",
                               prof->n_strange);
    if (prof->n_dropped)
        g_string_append_printf(why, "; %" G_GUINT64_FORMAT " samples with impossible values",
                               prof->n_dropped);
    if (why->len)
        prof->host->damage(prof->self, prof->part, why->str + 2);
    prof->host->found(prof->self, prof->part, prof->n_rows);
}

static void take_slices(Prof *prof, const char *folder, Slices *slices)
{
    g_autofree char *part = g_strdup_printf("%s/%s", folder, slices->name);

    slices_sort(slices);
    prof->part = part;
    prof->n_rows = prof->n_strange = prof->n_dropped = 0;
    for (guint i = 0; i < G_N_ELEMENTS(readers); i++)
        if (g_str_has_prefix(slices->name, readers[i].name)) {
            readers[i].import(prof, slices);
            tell_slices(prof, slices);
            return;
        }
    g_autofree char *what =
        g_strdup_printf("not decoded, %" G_GUINT64_FORMAT " bytes", slices->bytes);
    prof->host->unknown(prof->self, part, what, 1);
}

/* Reads the files of a folder. The names are sorted, so the slices of one file follow each
 * other. */
static void take_files(Prof *prof, const char *name, int folder)
{
    g_autoptr(GPtrArray) names = external_folder_names(folder);
    Slices *slices = NULL;

    for (guint i = 0; i < names->len && !prof->is_full; i++) {
        const char *file = g_ptr_array_index(names, i);
        guint64 number;
        gsize length = slice_name(file, &number);
        struct stat st;

        if (g_str_has_suffix(file, ".done") || g_str_has_suffix(file, ".complete") ||
            fstatat(folder, file, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        if (slices && (strlen(slices->name) != length || strncmp(slices->name, file, length))) {
            take_slices(prof, name, slices);
            g_clear_pointer(&slices, slices_free);
        }
        if (!slices)
            slices = slices_new(folder, file, length);
        slices_add(slices, file, (guint64)MAX(st.st_size, 0));
    }
    if (slices && !prof->is_full)
        take_slices(prof, name, slices);
    g_clear_pointer(&slices, slices_free);
}

/* ---- folders ---- */

static SideJson *read_json(int folder, const char *prefix)
{
    g_autoptr(GPtrArray) names = external_folder_names(folder);
    const char *name = external_folder_find(names, folder, prefix);
    gsize length;
    g_autofree char *bytes =
        name ? external_folder_read(folder, name, SIDE_JSON_BYTES_MAX, &length) : NULL;

    return bytes ? side_json_new(bytes, length, NULL) : NULL;
}

/* Sets `device` to the device's number in the folder's name; -1: the folder is that of the host.
 * Returns FALSE if the folder belongs to neither a device nor the host. */
static gboolean device_of(const char *name, gint *device)
{
    guint64 number = 0;

    *device = -1;
    if (!strcmp(name, "host"))
        return TRUE;
    if (!g_str_has_prefix(name, "device_") ||
        !g_ascii_string_to_unsigned(name + strlen("device_"), 10, 0, G_MAXINT32, &number, NULL))
        return FALSE;
    *device = (gint)number;
    return TRUE;
}

/* Finds the clock of a folder. Uses the host's clock for a device whose folder has no start
 * times. */
static void find_clock(Prof *prof, int top, int folder, const char *name)
{
    int host = external_folder_open(top, "host");

    prof->offset = prof->begin = 0;
    if (!prof_start_offset(folder, &prof->offset, &prof->begin) &&
        (host < 0 || !prof_start_offset(host, &prof->offset, &prof->begin)))
        prof->host->damage(prof->self, name, "no start_info: times are of the machine's own clock");
    if (host >= 0)
        close(host);
}

static void take_folder(Prof *prof, int top, const char *name)
{
    int folder = external_folder_open(top, name);
    int data = folder >= 0 ? external_folder_open(folder, "data") : -1;
    gint64 pid;

    if (data >= 0) {
        prof->info = read_json(folder, "info.json");
        prof->sample = read_json(folder, "sample.json");
        if (!prof->sample)
            prof->sample = read_json(top, "sample.json");
        if (side_json_int(prof->info, "pid", &pid) && pid > 0)
            prof->pid = (guint64)pid;
        find_clock(prof, top, folder, name);
        take_files(prof, name, data);
        side_json_free(prof->info);
        side_json_free(prof->sample);
        close(data);
    } else {
        prof->host->damage(prof->self, name,
                           errno == ENOENT ? "no folder data" : g_strerror(errno));
    }
    if (folder >= 0)
        close(folder);
}

/* ---- the importer ---- */

static gboolean holds_readable(int top, const char *name)
{
    int folder = external_folder_open(top, name);
    int data = folder >= 0 ? external_folder_open(folder, "data") : -1;
    gboolean found = FALSE;

    if (data >= 0) {
        g_autoptr(GPtrArray) names = external_folder_names(data);

        for (guint i = 0; i < G_N_ELEMENTS(readers); i++)
            found |= external_folder_find(names, data, readers[i].name) != NULL;
        close(data);
    }
    if (folder >= 0)
        close(folder);
    return found;
}

static void prof_raw_probe(const StrobeSource *source, StrobeSourceProbe *answer)
{
    gboolean is_prof = FALSE, is_readable = FALSE;
    gint device;

    if (!source->is_folder)
        return;
    g_autoptr(GPtrArray) names = external_folder_names(source->descriptor);
    for (guint i = 0; i < names->len && !is_readable; i++) {
        const char *name = g_ptr_array_index(names, i);

        if (!device_of(name, &device))
            continue;
        is_prof = TRUE;
        is_readable = holds_readable(source->descriptor, name);
    }
    answer->format = "CANN, raw data";
    answer->score = is_readable ? 60 : 0;
    if (is_prof && !is_readable)
        answer->reason = "raw data of CANN without a file that can be read";
}

static StrobeStatus prof_raw_import(const StrobeImporterHost *host, StrobeInstance *self,
                                    const StrobeSource *source)
{
    Prof prof = {.host = host, .self = self};
    g_autoptr(GPtrArray) names = external_folder_names(source->descriptor);
    gint64 offset;
    guint n = 0;

    prof.kinds = g_hash_table_new(NULL, NULL);
    if (prof_start_of_host(source->descriptor, &offset))
        host->metadata_int(self, "raw_clock_offset_ns", offset);
    /* begins with the host's folder, because it has the pid */
    for (gint is_device = 0; is_device < 2; is_device++)
        for (guint i = 0; i < names->len && n < FOLDERS_MAX && !prof.is_full; i++) {
            const char *name = g_ptr_array_index(names, i);

            if (!device_of(name, &prof.device) || (prof.device >= 0) != is_device)
                continue;
            take_folder(&prof, source->descriptor, name);
            n++;
        }
    if (prof.pid)
        host->metadata_int(self, "pid", (gint64)prof.pid);
    g_hash_table_unref(prof.kinds);
    if (prof.is_full)
        return host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__, "The capture has no room");
    return STROBE_OK;
}

const StrobeImporterOps prof_raw_ops = {
    .struct_size = sizeof(StrobeImporterOps),
    .probe = prof_raw_probe,
    .import = prof_raw_import,
    .prepare = prof_raw_prepare,
};
