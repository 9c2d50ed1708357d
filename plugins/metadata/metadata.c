/* SPDX-License-Identifier: Apache-2.0 */
#include "metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/environment.h>
#include <strobe/kinds.h>

#include "machine-metadata.h"
#include "process-groups.h"

#define NAME_MAX_LENGTH 255

/* Variables that are always recorded, as empty texts if they are not set, because Ascend's tools
 * look for them under ENV_VARIABLES. */
static const char *const standard_variables[] = {
    "ASCEND_GLOBAL_LOG_LEVEL", "HCCL_RDMA_TC",           "HCCL_RDMA_SL",
    "ACLNN_CACHE_LIMIT",       "HOST_CACHE_CAPACITY",    "ASCEND_ENHANCE_ENABLE",
    "PYTORCH_NPU_ALLOC_CONF",  "ASCEND_LAUNCH_BLOCKING", "HCCL_ALGO",
};

/* Variables that are recorded if they are set. They name the job that runs, as in PyTorch's
 * traces. */
static const char *const job_variables[] = {"PT_PROFILER_JOB_NAME", "PT_PROFILER_JOB_VERSION",
                                            "PT_PROFILER_JOB_ATTEMPT_INDEX"};

#define N_STANDARD (sizeof standard_variables / sizeof *standard_variables)

typedef struct Metadata {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeKindId kind;
    StrobeTrackId track;
    const char *variables; /* the option env: names joined by '+' */
} Metadata;

static void emit_metadata_entry(void *user, const char *key, const char *value, size_t length,
                                int is_json)
{
    const Metadata *state = user;
    const StrobeHost *host = state->host;
    StrobeWriter *writer = host->writer(state->self);
    if (!writer)
        return;
    StrobeStringId name = host->intern(writer, key, strlen(key));
    StrobeStringId text = host->intern(writer, value, length);
    struct strobe_metadata *record =
        host->reserve(writer, state->kind, state->track, name, host->now(), 0);
    if (!record)
        return;
    record->value = text;
    record->is_json = (uint8_t)is_json;
    host->commit(writer);
}

static void emit_variable(Metadata *state, const char *name)
{
    char key[NAME_MAX_LENGTH + 8];
    const char *value = strobe_environment_get(name);
    snprintf(key, sizeof key, "env.%s", name);
    emit_metadata_entry(state, key, value ? value : "", value ? strlen(value) : 0, 0);
}

static void emit_job(Metadata *state)
{
    for (size_t i = 0; i < sizeof job_variables / sizeof *job_variables; i++) {
        const char *value = strobe_environment_get(job_variables[i]);
        if (value)
            emit_metadata_entry(state, job_variables[i], value, strlen(value), 0);
    }
}

static int is_standard(const char *name)
{
    for (size_t i = 0; i < N_STANDARD; i++)
        if (strcmp(standard_variables[i], name) == 0)
            return 1;
    return 0;
}

/* Copies the next name of the list to `name`, and moves `list` past it. Returns 0 at the end of the
 * list. The names were checked when the collector opened. */
static int next_name(const char **list, char *name)
{
    size_t length;
    do {
        length = strcspn(*list, "+");
        memcpy(name, *list, length);
        name[length] = '\0';
        *list += length + ((*list)[length] == '+');
    } while (length == 0 && **list);
    return length > 0;
}

static StrobeStatus check_names(const StrobeHost *host, StrobeInstance *self, const char *list)
{
    for (; *list; list += strspn(list, "+")) {
        size_t length = strcspn(list, "+");
        if (length > NAME_MAX_LENGTH)
            return host->fail(self, STROBE_ERROR_CONFIG, __FILE__, __LINE__,
                              "Cannot record a variable: the name in env has %zu bytes, expected "
                              "at most %d",
                              length, NAME_MAX_LENGTH);
        if (memchr(list, '=', length) || memchr(list, '*', length))
            return host->fail(self, STROBE_ERROR_CONFIG, __FILE__, __LINE__,
                              "Cannot record a variable: env=\"%.*s\", expected the name of one "
                              "variable",
                              (int)length, list);
        list += length;
    }
    return STROBE_OK;
}

static StrobeStatus metadata_open(const StrobeHost *host, StrobeInstance *self, void **state_out)
{
    StrobeTrack track = {.struct_size = sizeof track, .type = STROBE_TRACK_PROCESS, .device = -1};
    const char *variables = host->option_text(self, "env");
    StrobeStatus status = check_names(host, self, variables);
    if (status != STROBE_OK)
        return status;
    Metadata *state = calloc(1, sizeof *state);
    if (!state)
        return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                          "Cannot collect metadata: no memory");
    state->host = host;
    state->self = self;
    state->variables = variables;
    status = host->kind(self, &strobe_kind_metadata, &state->kind);
    if (status != STROBE_OK) {
        free(state);
        return status;
    }
    state->track = host->track(self, &track);
    *state_out = state;
    return STROBE_OK;
}

static StrobeStatus metadata_start(void *user)
{
    Metadata *state = user;
    char name[NAME_MAX_LENGTH + 1];
    const char *list = state->variables;
    for (size_t i = 0; i < N_STANDARD; i++)
        emit_variable(state, standard_variables[i]);
    while (next_name(&list, name))
        if (!is_standard(name))
            emit_variable(state, name);
    emit_job(state);
    strobe_metadata_collect(emit_metadata_entry, state);
    return STROBE_OK;
}

/* Records the process groups at the window's end, because the program may create them during the
 * window. */
static StrobeStatus metadata_stop(void *user)
{
    process_groups_collect(emit_metadata_entry, user);
    return STROBE_OK;
}

static void metadata_close(void *user)
{
    free(user);
}

const StrobeCollectorOps strobe_metadata_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .open = metadata_open,
    .start = metadata_start,
    .stop = metadata_stop,
    .close = metadata_close,
};
