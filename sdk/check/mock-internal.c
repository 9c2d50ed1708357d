/* SPDX-License-Identifier: Apache-2.0 */
#include "mock-internal.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic uint64_t next_serial = 1;
/* ---- texts ------------------------------------------------------------------------------- */

static void append_line(StrobeMockHost *mock, MockText *text, const char *format, va_list arguments)
{
    char line[2048];
    vsnprintf(line, sizeof line, format, arguments);
    size_t length = strlen(line);
    pthread_mutex_lock(&mock->lock);
    char *bytes = realloc(text->bytes, text->length + length + 2);
    if (bytes) {
        memcpy(bytes + text->length, line, length);
        text->length += length;
        bytes[text->length++] = '\n';
        bytes[text->length] = '\0';
        text->bytes = bytes;
    }
    pthread_mutex_unlock(&mock->lock);
}

void strobe_mock_complain(StrobeMockHost *mock, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append_line(mock, &mock->complaints, format, arguments);
    va_end(arguments);
}

/* ---- the host table ---------------------------------------------------------------------- */

static uint64_t mock_link_ids(StrobeInstance *self, uint32_t n)
{
    return atomic_fetch_add(&self->mock->next_link, n);
}

/* Returns the id of this mock's collector, because there is no other collector. */
static uint64_t mock_link_for(StrobeInstance *self, const char *collector, uint64_t id)
{
    return 0;
}

static uint64_t mock_link_of(StrobeInstance *self, uint64_t id)
{
    return id && id < STROBE_LINK_DEALT ? (uint64_t)1 << STROBE_LINK_BITS | id : 0;
}

static int64_t mock_pid(StrobeInstance *self)
{
    return getpid();
}

static void mock_lost(StrobeInstance *self, uint32_t cause, uint64_t count)
{
    if (cause < STROBE_LOSS_CAUSES)
        atomic_fetch_add(&self->mock->lost[cause], count);
    else
        strobe_mock_complain(self->mock, "lost: unknown cause %u", cause);
}

static int option_index(StrobeMockHost *mock, const char *name)
{
    for (uint32_t i = 0; i < mock->component->n_options; i++)
        if (strcmp(mock->component->options[i].name, name) == 0)
            return (int)i;
    return -1;
}

static const char *option_value(StrobeInstance *self, const char *name)
{
    int index = option_index(self->mock, name);
    if (index < 0) {
        strobe_mock_complain(self->mock, "option: \"%s\" was not declared", name);
        return "";
    }
    const char *value = self->mock->values[index];
    return value ? value : self->mock->component->options[index].default_value;
}

static int32_t mock_option_bool(StrobeInstance *self, const char *name)
{
    return strobe_mock_parse_bool(option_value(self, name)) == 1;
}

static double mock_option_double(StrobeInstance *self, const char *name)
{
    const char *text = option_value(self, name);
    double value = 0;
    int index = option_index(self->mock, name);
    if (index >= 0)
        strobe_mock_parse_number(self->mock->component->options[index].type, text, &value);
    return value;
}

static int64_t mock_option_int(StrobeInstance *self, const char *name)
{
    return (int64_t)mock_option_double(self, name);
}

static const char *mock_option_text(StrobeInstance *self, const char *name)
{
    return option_value(self, name);
}

static StrobeStatus mock_companion(StrobeInstance *self, const char *pattern, char *path,
                                   size_t size)
{
    DIR *folder = self->mock->companions ? opendir(self->mock->companions) : NULL;
    StrobeStatus status = STROBE_UNAVAILABLE;
    struct dirent *entry;
    while (folder && status != STROBE_OK && (entry = readdir(folder)))
        if (fnmatch(pattern, entry->d_name, 0) == 0 &&
            snprintf(path, size, "%s/%s", self->mock->companions, entry->d_name) < (int)size)
            status = STROBE_OK;
    if (folder)
        closedir(folder);
    return status;
}

static void mock_log(StrobeInstance *self, int32_t level, const char *format, ...)
{
    va_list arguments;
    if (level < STROBE_LOG_ERROR || level > STROBE_LOG_DEBUG)
        strobe_mock_complain(self->mock, "log: unknown level %d", level);
    va_start(arguments, format);
    append_line(self->mock, &self->mock->messages, format, arguments);
    va_end(arguments);
}

static StrobeStatus mock_fail(StrobeInstance *self, StrobeStatus status, const char *file,
                              int32_t line, const char *format, ...)
{
    va_list arguments;
    if (!file || line <= 0)
        strobe_mock_complain(self->mock, "fail: no place given");
    va_start(arguments, format);
    append_line(self->mock, &self->mock->errors, format, arguments);
    va_end(arguments);
    return status;
}

static const char *mock_result_directory(StrobeInstance *self)
{
    return atomic_load(&self->mock->gate) ? self->mock->result_directory : NULL;
}

static const StrobeHost mock_table = {
    .struct_size = sizeof(StrobeHost),
    .abi_minor = STROBE_ABI_MINOR,
    .kind = strobe_mock_kind,
    .track = strobe_mock_track,
    .writer = strobe_mock_writer,
    .intern = strobe_mock_intern,
    .stack = strobe_mock_stack,
    .reserve = strobe_mock_reserve,
    .commit = strobe_mock_commit,
    .reserve_bulk = strobe_mock_reserve_bulk,
    .span_begin = strobe_mock_span_begin,
    .span_end = strobe_mock_span_end,
    .span_open = strobe_mock_span_open,
    .span_close = strobe_mock_span_close,
    .async_open = strobe_mock_async_open,
    .async_close = strobe_mock_async_close,
    .now = strobe_mock_now,
    .link_ids = mock_link_ids,
    .lost = mock_lost,
    .option_bool = mock_option_bool,
    .option_int = mock_option_int,
    .option_double = mock_option_double,
    .option_text = mock_option_text,
    .companion = mock_companion,
    .log = mock_log,
    .fail = mock_fail,
    .link_of = mock_link_of,
    .result_directory = mock_result_directory,
    .link_for = mock_link_for,
    .pid = mock_pid,
};

/* ---- making a host ----------------------------------------------------------------------- */

static const StrobeComponent *find_collector(const StrobePlugin *plugin, const char *name)
{
    for (uint32_t i = 0; i < plugin->n_components; i++) {
        const StrobeComponent *component = plugin->components[i];
        if (component->type == STROBE_COMPONENT_COLLECTOR &&
            (!name || strcmp(component->name, name) == 0))
            return component;
    }
    return NULL;
}

/* Makes the checks that Strobe makes when it loads a plugin. The command "strobe plugins NAME"
 * checks each declaration. */
static void check_descriptor(StrobeMockHost *mock, const StrobePlugin *plugin)
{
    if (plugin->struct_size < sizeof *plugin ||
        mock->component->struct_size < sizeof(StrobeComponent) ||
        mock->ops->struct_size < sizeof *mock->ops)
        strobe_mock_complain(mock, "descriptor: a struct_size is too small");
    if (plugin->abi_minor > STROBE_ABI_MINOR)
        strobe_mock_complain(mock, "descriptor: abi_minor is %u, this host has %d",
                             plugin->abi_minor, STROBE_ABI_MINOR);
    if (plugin->record_version != STROBE_RECORD_VERSION)
        strobe_mock_complain(mock, "descriptor: record_version is %u, this host has %d",
                             plugin->record_version, STROBE_RECORD_VERSION);
    if (!plugin->name || !plugin->version || !plugin->summary || !plugin->license ||
        !plugin->vendor)
        strobe_mock_complain(mock, "descriptor: name, version, summary, license or vendor is NULL");
    for (uint32_t i = 0; i < plugin->n_components; i++)
        if (plugin->components[i] != mock->component &&
            plugin->components[i]->type == STROBE_COMPONENT_COLLECTOR &&
            strcmp(plugin->components[i]->name, mock->component->name) == 0)
            strobe_mock_complain(mock, "descriptor: there are two collectors \"%s\"",
                                 mock->component->name);
}

StrobeMockHost *strobe_mock_host_new(const StrobePlugin *plugin, const char *component)
{
    const StrobeComponent *found = find_collector(plugin, component);
    StrobeMockHost *mock = found ? calloc(1, sizeof *mock) : NULL;
    if (!mock)
        return NULL;
    mock->values = calloc(found->n_options + 1, sizeof *mock->values);
    if (!mock->values) {
        free(mock);
        return NULL;
    }
    mock->table = mock_table;
    mock->instance.mock = mock;
    mock->component = found;
    mock->ops = found->ops;
    mock->serial = atomic_fetch_add(&next_serial, 1);
    atomic_store(&mock->next_link, 1);
    pthread_mutex_init(&mock->lock, NULL);
    check_descriptor(mock, plugin);
    return mock;
}

StrobeMockHost *strobe_mock_host_load(const char *path, const char *component)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const StrobePlugin *plugin = library ? dlsym(library, STROBE_PLUGIN_SYMBOL) : NULL;
    StrobeMockHost *mock = plugin ? strobe_mock_host_new(plugin, component) : NULL;
    const char *reason = dlerror();
    if (!mock)
        fprintf(stderr, "Cannot load collector: path=\"%s\", reason=\"%s\"\n", path,
                reason ? reason : "no such collector");
    return mock;
}

static void free_recorded(StrobeMockHost *mock)
{
    while (mock->thread_buffers) {
        StrobeWriter *thread_buffer = mock->thread_buffers;
        mock->thread_buffers = thread_buffer->next;
        free(thread_buffer->entries);
        free(thread_buffer->bytes);
        free(thread_buffer);
    }
    for (uint32_t i = 0; i < mock->n_strings; i++)
        free(mock->strings[i]);
    for (uint32_t i = 0; i < mock->n_tracks; i++) {
        free((char *)mock->tracks[i].name);
        free((char *)mock->tracks[i].group);
    }
    free(mock->strings);
    free(mock->tracks);
    free(mock->gathered);
}

void strobe_mock_host_free(StrobeMockHost *mock)
{
    if (!mock)
        return;
    if (mock->phase == STATE_RUNNING)
        strobe_mock_host_stop(mock);
    if (mock->phase == STATE_OPEN)
        strobe_mock_host_close(mock);
    free_recorded(mock);
    for (uint32_t i = 0; i < mock->component->n_options; i++)
        free(mock->values[i]);
    free(mock->values);
    free(mock->companions);
    free(mock->result_directory);
    free(mock->errors.bytes);
    free(mock->messages.bytes);
    free(mock->complaints.bytes);
    pthread_mutex_destroy(&mock->lock);
    free(mock);
}

int strobe_mock_host_option(StrobeMockHost *mock, const char *name, const char *value)
{
    int index = option_index(mock, name);
    if (index < 0 || !strobe_mock_option_accepts(&mock->component->options[index], value))
        return -1;
    free(mock->values[index]);
    mock->values[index] = strdup(value);
    return mock->values[index] ? 0 : -1;
}

void strobe_mock_host_result_directory(StrobeMockHost *mock, const char *folder)
{
    free(mock->result_directory);
    mock->result_directory = strdup(folder);
}

void strobe_mock_host_companions(StrobeMockHost *mock, const char *folder)
{
    free(mock->companions);
    mock->companions = strdup(folder);
}

const StrobeHost *strobe_mock_host_table(const StrobeMockHost *mock)
{
    return &mock->table;
}

StrobeInstance *strobe_mock_host_instance(StrobeMockHost *mock)
{
    return &mock->instance;
}

void strobe_mock_host_gate(StrobeMockHost *mock, int open)
{
    atomic_store(&mock->gate, open);
}

/* ---- the collector's calls --------------------------------------------------------------- */

int strobe_mock_host_probe(StrobeMockHost *mock, uint32_t question, StrobeProbe *answer)
{
    answer->struct_size = sizeof *answer;
    answer->available = 1;
    answer->reason = answer->hint = NULL;
    if (mock->ops->probe)
        mock->ops->probe(question, answer);
    if (answer->available < 0 || answer->available > 2 || (!answer->available && !answer->reason))
        strobe_mock_complain(mock, "probe: \"no\" without a reason, or an unknown answer");
    return answer->available;
}

StrobeStatus strobe_mock_host_open(StrobeMockHost *mock)
{
    if (mock->phase != STATE_NEW)
        return STROBE_ERROR_STATE;
    StrobeStatus status = mock->ops->open(&mock->table, &mock->instance, &mock->state);
    if (status != STROBE_AGAIN)
        mock->phase = status == STROBE_OK ? STATE_OPEN : STATE_CLOSED;
    return status;
}

StrobeStatus strobe_mock_host_warm(StrobeMockHost *mock)
{
    if (mock->phase != STATE_OPEN)
        return STROBE_ERROR_STATE;
    return mock->ops->warm ? mock->ops->warm(mock->state) : STROBE_OK;
}

StrobeStatus strobe_mock_host_start(StrobeMockHost *mock)
{
    if (mock->phase != STATE_OPEN)
        return STROBE_ERROR_STATE;
    strobe_mock_host_gate(mock, 1);
    StrobeStatus status = mock->ops->start(mock->state);
    if (status == STROBE_OK)
        mock->phase = STATE_RUNNING;
    else
        strobe_mock_host_gate(mock, 0);
    return status;
}

StrobeStatus strobe_mock_host_stop(StrobeMockHost *mock)
{
    if (mock->phase != STATE_RUNNING)
        return STROBE_ERROR_STATE;
    StrobeStatus status = mock->ops->stop(mock->state);
    strobe_mock_host_gate(mock, 0);
    mock->phase = STATE_OPEN;
    return status;
}

typedef struct Flush {
    StrobeMockHost *mock;
    uint64_t deadline;
    StrobeStatus status;
} Flush;

static void *flush_main(void *user)
{
    Flush *flush = user;
    StrobeMockHost *mock = flush->mock;

    atomic_store(&mock->gate_thread, (uint64_t)gettid());
    strobe_mock_host_gate(mock, 1);
    while ((flush->status = mock->ops->flush(mock->state, flush->deadline)) == STROBE_AGAIN &&
           strobe_mock_now() < flush->deadline)
        usleep(1000); /* the interval of Strobe's calls of flush */
    strobe_mock_host_gate(mock, 0);
    atomic_store(&mock->gate_thread, 0);
    return NULL;
}

StrobeStatus strobe_mock_host_flush(StrobeMockHost *mock, uint64_t timeout_ns)
{
    Flush flush = {.mock = mock, .deadline = strobe_mock_now() + timeout_ns};
    pthread_t thread;

    if (mock->phase != STATE_OPEN)
        return STROBE_ERROR_STATE;
    if (!mock->ops->flush)
        return STROBE_OK;
    if (pthread_create(&thread, NULL, flush_main, &flush) != 0)
        return STROBE_ERROR_MEMORY;
    pthread_join(thread, NULL);
    return flush.status;
}

StrobeStatus strobe_mock_host_cool(StrobeMockHost *mock)
{
    if (mock->phase != STATE_OPEN)
        return STROBE_ERROR_STATE;
    if (mock->ops->cool)
        mock->ops->cool(mock->state);
    return STROBE_OK;
}

StrobeStatus strobe_mock_host_sample(StrobeMockHost *mock)
{
    if (mock->phase != STATE_RUNNING)
        return STROBE_ERROR_STATE;
    if (mock->ops->sample)
        mock->ops->sample(mock->state);
    return STROBE_OK;
}

int64_t strobe_mock_host_sample_interval(StrobeMockHost *mock)
{
    return mock->ops->sample_interval ? mock->ops->sample_interval(mock->state) : 0;
}

StrobeStatus strobe_mock_host_close(StrobeMockHost *mock)
{
    if (mock->phase != STATE_OPEN)
        return STROBE_ERROR_STATE;
    mock->ops->close(mock->state);
    mock->phase = STATE_CLOSED;
    return STROBE_OK;
}
