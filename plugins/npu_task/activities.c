/* SPDX-License-Identifier: Apache-2.0 */
#include "activities.h"

#include <string.h>

#define BIT(kind_) (1u << MSPTI_KIND_##kind_)
#define LEVEL_0 (BIT(KERNEL) | BIT(COMMUNICATION) | BIT(NODE_API) | BIT(MARKER))
#define LEVEL_1 (LEVEL_0 | BIT(ACL_API))
#define LEVEL_2 (LEVEL_1 | BIT(RUNTIME_API))

const char *const npu_activity_names[] = {
    "kernel", "communication", "hccl",   "node_api", "acl_api", "runtime_api",
    "memory", "memset",        "memcpy", "marker",   NULL,
};
static const int32_t activity_kinds[] = {
    MSPTI_KIND_KERNEL,  MSPTI_KIND_COMMUNICATION, MSPTI_KIND_HCCL,   MSPTI_KIND_NODE_API,
    MSPTI_KIND_ACL_API, MSPTI_KIND_RUNTIME_API,   MSPTI_KIND_MEMORY, MSPTI_KIND_MEMSET,
    MSPTI_KIND_MEMCPY,  MSPTI_KIND_MARKER,
};

const char *npu_activity_name(int32_t kind)
{
    for (size_t i = 0; npu_activity_names[i]; i++)
        if (activity_kinds[i] == kind)
            return npu_activity_names[i];
    return kind == MSPTI_KIND_API ? "node_api" : "external_ids";
}

static uint32_t of_level(const char *level)
{
    if (strcmp(level, "Level_none") == 0)
        return BIT(MARKER);
    return strcmp(level, "Level0") == 0   ? LEVEL_0
           : strcmp(level, "Level1") == 0 ? LEVEL_1
                                          : LEVEL_2;
}

/* Returns the kinds in the list as bits. The host has checked that each word of the list is one of
 * the names. */
static uint32_t of_list(const char *list)
{
    uint32_t kinds = 0;

    while (*list) {
        size_t length = strcspn(list, "+");
        for (size_t i = 0; npu_activity_names[i]; i++)
            if (strlen(npu_activity_names[i]) == length &&
                strncmp(npu_activity_names[i], list, length) == 0)
                kinds |= 1u << activity_kinds[i];
        list += length + (list[length] == '+');
    }
    return kinds;
}

uint32_t npu_activities_wanted(const StrobeHost *host, StrobeInstance *self)
{
    const char *list = host->option_text(self, "activities");
    uint32_t kinds = *list ? of_list(list) : of_level(host->option_text(self, "profiler_level"));

    if ((kinds & BIT(HCCL)) && (kinds & BIT(COMMUNICATION))) {
        host->log(self, STROBE_LOG_WARNING,
                  "hccl is ignored: communication records the same operations");
        kinds &= ~BIT(HCCL);
    }
    return host->option_bool(self, "external_ids") ? kinds | BIT(EXTERNAL) : kinds;
}

uint32_t npu_activities_needed(uint32_t wanted)
{
    return wanted & (BIT(KERNEL) | BIT(COMMUNICATION) | BIT(EXTERNAL)) ? wanted | BIT(NODE_API)
                                                                       : wanted;
}

/* Enables one kind. The kinds API and NODE_API report the same calls of the node level, so only one
 * of them is enabled. MSPTI writes a record of NODE_API before a communication operation gets its
 * id, so the record has the id of the previous launch. */
static int32_t enable_kind(const MsptiLibrary *library, int32_t *kind)
{
    int32_t code;

    if (*kind != MSPTI_KIND_NODE_API)
        return library->enable(*kind);
    code = library->enable(MSPTI_KIND_API);
    if (code != MSPTI_SUCCESS)
        return library->enable(MSPTI_KIND_NODE_API);
    *kind = MSPTI_KIND_API;
    return code;
}

uint32_t npu_activities_enable(const MsptiLibrary *library, const StrobeHost *host,
                               StrobeInstance *self, uint32_t needed, uint32_t wanted)
{
    uint32_t enabled = 0;

    for (int32_t i = 1; i < MSPTI_KINDS; i++) {
        int32_t kind = i;
        if (!npu_activities_have(needed, kind))
            continue;
        int32_t code = enable_kind(library, &kind);
        if (code == MSPTI_SUCCESS)
            enabled |= 1u << kind;
        else if (!npu_activities_have(wanted, i))
            continue;
        else if (code == MSPTI_WITHOUT_PRELOAD)
            host->log(self, STROBE_LOG_WARNING,
                      "No records of %s: MSPTI records these only if it is preloaded: use "
                      "strobe run --preload $ASCEND_HOME_PATH/lib64/libmspti.so",
                      npu_activity_name(kind));
        else
            host->log(self, STROBE_LOG_WARNING,
                      "No records of %s: MSPTI does not enable them: code=%d, reason=\"%s\"",
                      npu_activity_name(kind), code, npu_mspti_error(code));
    }
    return enabled;
}

uint32_t npu_activities_disable(const MsptiLibrary *library, uint32_t enabled, int32_t *failed,
                                int32_t *code)
{
    *code = MSPTI_SUCCESS;
    for (int32_t kind = 1; kind < MSPTI_KINDS; kind++) {
        if (!npu_activities_have(enabled, kind))
            continue;
        int32_t result = library->disable(kind);
        if (result == MSPTI_SUCCESS) {
            enabled &= ~(1u << kind);
        } else {
            *failed = kind;
            *code = result;
        }
    }
    return enabled;
}
