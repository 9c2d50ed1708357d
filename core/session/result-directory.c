/* SPDX-License-Identifier: Apache-2.0 */
#include "result-directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strobe/helpers/environment.h>
#include <strobe/helpers/safe-file.h>
#include <strobe/strobe.h>
#include <sys/stat.h>
#include <unistd.h>
#include "error.h"
#include "json-text.h"
#include "log.h"
#include "process.h"
#include "recorder.h"
#include "result-completion.h"
#include "result.h"

#define INFO_PREFIX "profiler_info"
#define DEVICE_COLLECTOR "npu_task"
#define DEVICE_LEVEL "Level1" /* level of this collector by default */
#define METADATA_NAME "profiler_metadata.json"

static gint reported_rank = -1; /* atomic */

void strobe_set_rank(int rank)
{
    g_atomic_int_set(&reported_rank, MAX(rank, -1));
}

/* Returns the rank in an environment variable; -1 if there is none. */
static gint rank_of_environment(void)
{
    static const char *const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};

    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        const char *text = strobe_environment_get(names[i]);
        guint64 rank;
        if (text && g_ascii_string_to_unsigned(text, 10, 0, G_MAXINT, &rank, NULL))
            return (gint)rank;
    }
    return -1;
}

gint strobe_rank(void)
{
    gint rank = rank_of_environment();

    return rank >= 0 ? rank : g_atomic_int_get(&reported_rank);
}

/* ---- the directory ---- */

static gboolean set_io_error(const char *path, GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot create %s: %s", path,
                g_strerror(errno));
    return FALSE;
}

static void stamp_now(char stamp[18], gint64 realtime_ns)
{
    time_t seconds = (time_t)(realtime_ns / 1000000000);
    struct tm local;

    localtime_r(&seconds, &local);
    strftime(stamp, 18, "%Y%m%d%H%M%S", &local);
    g_snprintf(stamp + 14, 4, "%03d", (int)(realtime_ns / 1000000 % 1000));
}

/* Makes the folder's name. If `worker` makes it longer than the system allows, truncates `worker`
 * at a character boundary. */
static char *make_name(const char *worker, pid_t pid, const char *stamp)
{
    g_autofree char *rest = g_strdup_printf("_%ld_%s_ascend_pt", (long)pid, stamp);
    const gsize room = NAME_MAX - strlen(rest);
    const char *end = worker + strlen(worker);

    if ((gsize)(end - worker) > room)
        end = g_utf8_find_prev_char(worker, worker + room + 1);
    return g_strdup_printf("%.*s%s", (int)(end - worker), worker, rest);
}

/* If the directory exists (another thread made a result in the same millisecond), uses the next
 * millisecond. */
static gboolean make_directory(StrobeResultDirectory *d, const char *parent, const char *worker,
                               GError **error)
{
    for (gint64 ms = 0; ms < 1000; ms++) {
        stamp_now(d->stamp, d->start.realtime_ns + ms * 1000000);
        g_autofree char *name = make_name(worker, d->pid, d->stamp);

        g_free(d->path);
        d->path = g_build_filename(parent, name, NULL);
        if (mkdir(d->path, 0750) == 0)
            return TRUE;
        if (errno != EEXIST)
            break;
    }
    return set_io_error(d->path, error);
}

/* Opens the result directory, or the folder `name` in it, because the session keeps no descriptor
 * of the directory open in the program. Returns -1 on an error. */
static int open_folder(const StrobeResultDirectory *d, const char *name)
{
    g_autofree char *path = g_build_filename(d->path, name, NULL);

    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static gboolean make_folders(StrobeResultDirectory *d, GError **error)
{
    int folder = open_folder(d, "");
    gboolean ok = folder >= 0 && mkdirat(folder, STROBE_FRAMEWORK_DIR, 0750) == 0 &&
                  mkdirat(folder, "logs", 0750) == 0;

    if (!ok)
        set_io_error(d->path, error);
    if (folder >= 0)
        close(folder);
    return ok;
}

static char *make_trace_id(const StrobeConfig *config)
{
    const char *given = strobe_json_member_text(config->metadata, "trace_id");
    g_autofree char *random = NULL;

    if (*given)
        return g_strdup(given);
    random = g_uuid_string_random();
    g_auto(GStrv) parts = g_strsplit(random, "-", -1);
    g_autofree char *joined = g_strjoinv("", parts);
    return g_ascii_strup(joined, -1);
}

StrobeResultDirectory *strobe_result_directory_new(const StrobeConfig *config, pid_t pid,
                                                   GError **error)
{
    StrobeResultDirectory *d = g_new0(StrobeResultDirectory, 1);
    g_autofree char *parent =
        g_canonicalize_filename(config->directory ? config->directory : ".", NULL);
    const char *worker = config->worker ? config->worker : g_get_host_name();

    d->pid = pid;
    d->start = strobe_clock_pair();
    d->start_raw_ns = strobe_clock_raw_ns(&d->start);
    d->trace_id = make_trace_id(config);
    if (g_mkdir_with_parents(parent, 0750)) {
        set_io_error(parent, error);
    } else if (make_directory(d, parent, worker, error)) {
        if (make_folders(d, error))
            return d;
        strobe_result_directory_discard(d);
        return NULL;
    }
    strobe_result_directory_free(d);
    return NULL;
}

void strobe_result_directory_free(StrobeResultDirectory *d)
{
    if (!d)
        return;
    g_free(d->path);
    g_free(d->trace_id);
    g_free(d->info_name);
    g_free(d);
}

/* Is this the name of a file that describes the result? */
static gboolean is_of_result(const char *name)
{
    return g_str_has_prefix(name, INFO_PREFIX) || g_str_equal(name, METADATA_NAME);
}

static void remove_descriptions(const StrobeResultDirectory *d, int folder)
{
    g_autoptr(GDir) dir = g_dir_open(d->path, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir)))
        if (is_of_result(name))
            unlinkat(folder, name, 0);
}

void strobe_result_directory_discard(StrobeResultDirectory *d)
{
    int folder = open_folder(d, "");

    remove_descriptions(d, folder);
    unlinkat(folder, STROBE_FRAMEWORK_DIR "/" STROBE_CAPTURE_NAME, 0);
    unlinkat(folder, STROBE_FRAMEWORK_DIR "/" STROBE_SEGMENT_NEW, 0);
    unlinkat(folder, STROBE_FRAMEWORK_DIR, AT_REMOVEDIR);
    unlinkat(folder, "logs", AT_REMOVEDIR);
    if (folder >= 0)
        close(folder);
    rmdir(d->path);
    strobe_result_directory_free(d);
}

int strobe_result_directory_capture(StrobeResultDirectory *d, const char *name, char **path,
                                    GError **error)
{
    int folder = open_folder(d, STROBE_FRAMEWORK_DIR);
    int fd = folder < 0
                 ? -1
                 : openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);

    *path = g_build_filename(d->path, STROBE_FRAMEWORK_DIR, name, NULL);
    if (fd < 0)
        set_io_error(*path, error);
    if (folder >= 0)
        close(folder);
    return fd;
}

gboolean strobe_result_directory_place(StrobeResultDirectory *d, gboolean sync, GError **error)
{
    int folder = open_folder(d, STROBE_FRAMEWORK_DIR);
    gboolean ok = folder >= 0 &&
                  renameat(folder, STROBE_SEGMENT_NEW, folder, STROBE_CAPTURE_NAME) == 0 &&
                  (!sync || fsync(folder) == 0);

    if (!ok)
        set_io_error(d->path, error);
    if (folder >= 0)
        close(folder);
    return ok;
}

/* ---- metadata ---- */

/* Returns the collector's name without the "PLUGIN." that selects the file, unless another
 * collector has the same name. */
static const char *collector_name(const StrobeConfig *config, guint index)
{
    const StrobeConfigComponent *own = g_ptr_array_index(config->collectors, index);
    const char *dot = strchr(own->name, '.');

    for (guint i = 0; dot && i < config->collectors->len; i++) {
        const StrobeConfigComponent *other = g_ptr_array_index(config->collectors, i);
        const char *other_dot = strchr(other->name, '.');
        if (i != index && g_str_equal(other_dot ? other_dot + 1 : other->name, dot + 1))
            return own->name;
    }
    return dot ? dot + 1 : own->name;
}

/* Returns the names of the collectors in the order of their numbers, which link ids contain. */
static char *link_sources(const StrobeConfig *config)
{
    GString *names = g_string_new(NULL);

    for (guint i = 0; i < config->collectors->len; i++)
        g_string_append_printf(names, "%s%s", i ? "+" : "", collector_name(config, i));
    return g_string_free(names, FALSE);
}

char *strobe_result_directory_metadata(const StrobeResultDirectory *d, const StrobeConfig *config)
{
    g_autoptr(JsonObject) capture_metadata = json_object_new();
    char command[4096], boot_id[64], pool_id[33];
    int is_tmpfs, error;

    strobe_process_command(d->pid, command, sizeof command);
    strobe_boot_id(boot_id);
    json_object_set_string_member(capture_metadata, "strobe_version", strobe_version());
    json_object_set_int_member(capture_metadata, "pid", d->pid);
    json_object_set_int_member(capture_metadata, "rank", strobe_rank());
    json_object_set_string_member(capture_metadata, "host", g_get_host_name());
    /* JSON can store only valid UTF-8; the records have the raw bytes. */
    g_autofree char *valid = g_utf8_make_valid(command, -1);
    json_object_set_string_member(capture_metadata, "command", valid);
    json_object_set_string_member(capture_metadata, "boot_id", boot_id);
    json_object_set_string_member(capture_metadata, "trace_id", d->trace_id);
    json_object_set_string_member(capture_metadata, "clock", strobe_clock_name());
    json_object_set_string_member(capture_metadata, "pool",
                                  strobe_recorder_pool(&is_tmpfs, pool_id));
    json_object_set_string_member(capture_metadata, "pool_id", pool_id);
    json_object_set_boolean_member(capture_metadata, "pool_in_memory", is_tmpfs);
    json_object_set_string_member(capture_metadata, "writer",
                                  strobe_recorder_has_process(&error) ? "process" : "thread");
    json_object_set_object_member(capture_metadata, "buffer",
                                  strobe_buffer_config_json(&config->buffer));
    if (strobe_rotate_config_any(&config->rotate))
        json_object_set_object_member(capture_metadata, "rotate",
                                      strobe_rotate_config_json(&config->rotate));
    json_object_set_boolean_member(capture_metadata, "scheduled", config->has_schedule);
    json_object_set_int_member(capture_metadata, "start_realtime_ns", d->start.realtime_ns);
    json_object_set_int_member(capture_metadata, "start_raw_ns", d->start_raw_ns);
    json_object_set_object_member(capture_metadata, "collectors",
                                  strobe_config_components_json(config->collectors));
    g_autofree char *sources = link_sources(config);
    json_object_set_string_member(capture_metadata, "link_sources", sources);
    if (config->has_exporters)
        json_object_set_object_member(capture_metadata, "exporters",
                                      strobe_config_components_json(config->exporters));
    return strobe_json_object_to_text(capture_metadata, 0);
}

/* ---- the info files ---- */

static JsonNode *copy_member(JsonObject *object, const char *name)
{
    JsonNode *node = object ? json_object_get_member(object, name) : NULL;
    return node ? json_node_copy(node) : NULL;
}

/* Makes a node that owns `object`. */
static JsonNode *object_node(JsonObject *object)
{
    JsonNode *node = json_node_alloc();

    json_node_init_object(node, object);
    json_object_unref(object);
    return node;
}

static JsonNode *schedule_node(const StrobeConfig *config)
{
    return object_node(config->has_schedule ? strobe_config_schedule_json(&config->schedule)
                                            : json_object_new());
}

static const char *option_of(const StrobeConfig *config, const char *collector, const char *option)
{
    for (guint i = 0; i < config->collectors->len; i++) {
        const StrobeConfigComponent *c = g_ptr_array_index(config->collectors, i);
        if (strcmp(c->name, collector))
            continue;
        for (guint p = 0; c->pairs && p + 1 < c->pairs->len; p += 2)
            if (strcmp(g_ptr_array_index(c->pairs, p), option) == 0)
                return g_ptr_array_index(c->pairs, p + 1);
        JsonNode *node = c->json ? json_object_get_member(c->json, option) : NULL;
        if (node && json_node_get_value_type(node) == G_TYPE_BOOLEAN)
            return json_node_get_boolean(node) ? "true" : "false";
        if (node && json_node_get_value_type(node) == G_TYPE_STRING)
            return json_node_get_string(node);
    }
    return NULL;
}

static gboolean has_collector(const StrobeConfig *config, const char *name)
{
    for (guint i = 0; i < config->collectors->len; i++) {
        const StrobeConfigComponent *c = g_ptr_array_index(config->collectors, i);
        if (strcmp(c->name, name) == 0)
            return TRUE;
    }
    return FALSE;
}

/* Returns the parameters of torch_npu's profiler, in the form in which it writes them. A session of
 * another front end has no such parameters; the values are then derived from its collectors. */
static JsonNode *common_config(const StrobeConfig *config)
{
    JsonNode *given = copy_member(config->front_end, "common_config");
    static const char *const names[][2] = {{"record_shapes", "shapes"},
                                           {"with_stack", "stack"},
                                           {"with_flops", "flops"},
                                           {"with_modules", "modules"}};

    if (given)
        return given;
    JsonObject *out = json_object_new();
    JsonArray *activities = json_array_new();
    json_array_add_string_element(activities, "ProfilerActivity.CPU");
    if (has_collector(config, DEVICE_COLLECTOR))
        json_array_add_string_element(activities, "ProfilerActivity.NPU");
    json_object_set_array_member(out, "activities", activities);
    json_object_set_member(out, "schedule", schedule_node(config));
    json_object_set_boolean_member(out, "profile_memory", has_collector(config, "memory"));
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        const char *value = option_of(config, "cpu_op", names[i][1]);
        json_object_set_boolean_member(out, names[i][0], g_strcmp0(value, "true") == 0);
    }
    return object_node(out);
}

/* Returns those parameters of torch_npu's profiler by which its analysis chooses columns and
 * tables. */
static JsonNode *experimental_config(const StrobeConfig *config)
{
    JsonNode *given = copy_member(config->front_end, "experimental_config");
    static const char *const switches[][2] = {{"_l2_cache", "l2_cache"},
                                              {"_op_attr", "op_attr"},
                                              {"_sys_io", "sys_io"},
                                              {"_sys_interconnection", "sys_interconnection"}};

    if (given)
        return given;
    JsonObject *out = json_object_new();
    if (!has_collector(config, DEVICE_COLLECTOR))
        return object_node(out);
    const char *level = option_of(config, DEVICE_COLLECTOR, "profiler_level");
    json_object_set_string_member(out, "_profiler_level", level ? level : DEVICE_LEVEL);
    for (guint i = 0; i < G_N_ELEMENTS(switches); i++) {
        const char *value = option_of(config, DEVICE_COLLECTOR, switches[i][1]);
        json_object_set_boolean_member(out, switches[i][0], g_strcmp0(value, "true") == 0);
    }
    return object_node(out);
}

static JsonObject *config_member(const StrobeConfig *config)
{
    JsonObject *out = json_object_new();

    json_object_set_member(out, "common_config", common_config(config));
    json_object_set_member(out, "experimental_config", experimental_config(config));
    return out;
}

static JsonObject *start_info(const StrobeResultDirectory *d)
{
    JsonObject *out = json_object_new();

    json_object_set_boolean_member(out, "syscnt_enable", FALSE);
    json_object_set_int_member(out, "freq", 100);
    json_object_set_int_member(out, "start_cnt", 0);
    json_object_set_int_member(out, "start_monotonic", d->start_raw_ns);
    return out;
}

static gboolean write_file(StrobeResultDirectory *d, int folder, const char *name, const char *text,
                           GError **error)
{
    StrobeSafeFile *file = strobe_safe_file_create(folder, name);
    int failed = errno;

    if (file) {
        strobe_safe_file_puts(file, text);
        failed = strobe_safe_file_finish(file);
        if (failed == 0)
            return TRUE;
    }
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write %s/%s: %s", d->path, name,
                g_strerror(failed));
    return FALSE;
}

/* Adds the versions of Strobe, and of torch_npu and CANN if the front end knows them. */
static void add_versions(JsonObject *top, const StrobeConfig *config)
{
    static const char *const names[] = {"torch_npu_version", "cann_version"};

    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        JsonNode *version = copy_member(config->front_end, names[i]);
        if (version)
            json_object_set_member(top, names[i], version);
    }
    json_object_set_string_member(top, "strobe_version", strobe_version());
}

/* Returns the text of profiler_info. `end` is NULL while the window records. */
static char *info_text(const StrobeResultDirectory *d, const StrobeConfig *config, gint rank,
                       const StrobeResultEnd *end)
{
    g_autoptr(JsonObject) top = json_object_new();

    json_object_set_object_member(top, "config", config_member(config));
    json_object_set_object_member(top, "start_info", start_info(d));
    if (end)
        json_object_set_object_member(top, "end_info", strobe_result_end_info(end));
    add_versions(top, config);
    /* torch_npu writes a rank from the environment as a string. */
    if (rank >= 0 && rank_of_environment() < 0) {
        json_object_set_int_member(top, "rank_id", rank);
    } else if (rank >= 0) {
        g_autofree char *text = g_strdup_printf("%d", rank);
        json_object_set_string_member(top, "rank_id", text);
    }
    return strobe_json_object_to_text(top, STROBE_JSON_INDENTED);
}

static char *info_name(gint rank)
{
    return rank < 0 ? g_strdup(INFO_PREFIX ".json") : g_strdup_printf(INFO_PREFIX "_%d.json", rank);
}

/* Writes profiler_info. If its name has changed because the rank became known within the window,
 * removes the old file. */
static gboolean write_info(StrobeResultDirectory *d, int folder, const StrobeConfig *config,
                           const StrobeResultEnd *end, GError **error)
{
    gint rank = strobe_rank();
    g_autofree char *text = info_text(d, config, rank, end), *before = d->info_name;

    d->info_name = info_name(rank);
    gboolean ok = write_file(d, folder, d->info_name, text, error);
    if (ok && before && !g_str_equal(before, d->info_name))
        unlinkat(folder, before, 0);
    return ok;
}

static JsonObject *read_environment(void)
{
    static const char *const names[] = {
        "ASCEND_GLOBAL_LOG_LEVEL", "HCCL_RDMA_TC",           "HCCL_RDMA_SL",
        "ACLNN_CACHE_LIMIT",       "HOST_CACHE_CAPACITY",    "ASCEND_ENHANCE_ENABLE",
        "PYTORCH_NPU_ALLOC_CONF",  "ASCEND_LAUNCH_BLOCKING", "HCCL_ALGO"};
    JsonObject *out = json_object_new();

    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        const char *value = strobe_environment_get(names[i]);
        json_object_set_string_member(out, names[i], value ? value : "");
    }
    return out;
}

static char *metadata_text(const StrobeResultDirectory *d, const StrobeConfig *config)
{
    g_autoptr(JsonObject) top = json_object_new();
    g_autoptr(GList) keys = json_object_get_members(config->metadata);

    for (GList *k = keys; k; k = k->next)
        if (strcmp(k->data, "trace_id")) /* the member trace_id is added last */
            json_object_set_member(
                top, k->data, json_node_copy(json_object_get_member(config->metadata, k->data)));
    json_object_set_object_member(top, "ENV_VARIABLES", read_environment());
    json_object_set_string_member(top, "trace_id", d->trace_id);
    return strobe_json_object_to_text(top, STROBE_JSON_SPACED);
}

static gboolean write_metadata(StrobeResultDirectory *d, int folder, const StrobeConfig *config,
                               GError **error)
{
    g_autofree char *text = metadata_text(d, config);

    return write_file(d, folder, METADATA_NAME, text, error);
}

gboolean strobe_result_directory_log(StrobeResultDirectory *d, const char *text, GError **error)
{
    g_autofree char *name = strobe_result_log_name(d->stamp, (long)d->pid);
    int folder = open_folder(d, "logs");
    gboolean ok;

    if (folder < 0)
        return set_io_error("logs", error);
    ok = write_file(d, folder, name, text, error);
    close(folder);
    return ok;
}

/* Writes the first version of a file, directly under its name. The end of the window replaces the
 * file. */
static gboolean write_first(int folder, const char *name, const char *text)
{
    const gsize n = strlen(text);
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);

    if (fd < 0)
        return FALSE;
    gboolean ok = write(fd, text, n) == (gssize)n;
    if (!ok)
        unlinkat(folder, name, 0);
    close(fd);
    return ok;
}

/* Errors are not reported here: the end of the window writes the files again and reports its
 * errors. */
void strobe_result_directory_begin(StrobeResultDirectory *d, const StrobeConfig *config)
{
    gint rank = strobe_rank();
    int folder = open_folder(d, "");

    if (folder < 0)
        return;
    g_autofree char *name = info_name(rank);
    g_autofree char *info = info_text(d, config, rank, NULL), *metadata = metadata_text(d, config);
    if (write_first(folder, name, info))
        d->info_name = g_steal_pointer(&name);
    write_first(folder, METADATA_NAME, metadata);
    close(folder);
}

static gboolean replace_files(StrobeResultDirectory *d, const StrobeConfig *config,
                              const StrobeResultEnd *end, GError **error)
{
    int folder = open_folder(d, "");
    gboolean ok;

    if (folder < 0)
        return set_io_error(d->path, error);
    ok = write_info(d, folder, config, end, error) && write_metadata(d, folder, config, error);
    close(folder);
    return ok;
}

void strobe_result_directory_update(StrobeResultDirectory *d, const StrobeConfig *config)
{
    replace_files(d, config, NULL, NULL);
}

static StrobeResultEnd current_end(void)
{
    const StrobeClockPair pair = strobe_clock_pair();

    return strobe_result_end(&pair);
}

gboolean strobe_result_directory_finish(StrobeResultDirectory *d, const StrobeConfig *config,
                                        const StrobeResultEnd *end, GError **error)
{
    const StrobeResultEnd now = current_end();

    return replace_files(d, config, end ? end : &now, error);
}

/* ---- copies ---- */

static void set_what_differs(const StrobeResultDirectory *d, JsonObject *top)
{
    const StrobeResultEnd end = current_end();

    if (json_object_has_member(top, "start_info")) {
        json_object_set_object_member(top, "start_info", start_info(d));
        json_object_set_object_member(top, "end_info", strobe_result_end_info(&end));
    }
    if (json_object_has_member(top, "trace_id"))
        json_object_set_string_member(top, "trace_id", d->trace_id);
}

static gboolean copy_json(StrobeResultDirectory *d, int from, int to, const char *name,
                          GError **error)
{
    g_autoptr(JsonNode) node = strobe_json_read_file(from, name);

    if (!node)
        return TRUE; /* the program has not written the file yet */
    set_what_differs(d, json_node_get_object(node));
    g_autofree char *copy = strobe_json_object_to_text(
        json_node_get_object(node),
        g_str_has_prefix(name, INFO_PREFIX) ? STROBE_JSON_INDENTED : STROBE_JSON_SPACED);
    return write_file(d, to, name, copy, error);
}

gboolean strobe_result_directory_copy(StrobeResultDirectory *d, const char *from, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(from, 0, NULL);
    int source = open(from, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
        target = open_folder(d, "");
    gboolean ok = source >= 0 && target >= 0;
    const char *name;

    while (ok && dir && (name = g_dir_read_name(dir)))
        if (is_of_result(name))
            ok = copy_json(d, source, target, name, error);
    if (!ok && error && !*error)
        set_io_error(d->path, error);
    if (source >= 0)
        close(source);
    if (target >= 0)
        close(target);
    return ok;
}

void strobe_result_directory_report(const StrobeResultDirectory *d, const StrobeConfig *config)
{
    if (!config->report)
        return;
    int fd = open(config->report, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    g_autofree char *line = g_strconcat(d->path, "\n", NULL);
    if (fd < 0)
        return;
    if (write(fd, line, strlen(line)) != (ssize_t)strlen(line))
        strobe_log(STROBE_LOG_WARNING, "Cannot report %s in %s", d->path, config->report);
    close(fd);
}
