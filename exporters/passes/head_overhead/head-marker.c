/* SPDX-License-Identifier: Apache-2.0 */
#include "head-marker.h"

#include <string.h>

#define ROLES_MAX 65536u /* maximum number of names with a cached role */
#define NAME_MAX_BYTES 128
#define STEP_PREFIX "ProfilerStep#"
#define ATEN_PREFIX "aten::"

typedef struct Name {
    const char *text; /* after marker_fold; an operator's name without "aten::" */
    Role role;
    gboolean is_prefix;
} Name;

static const Name marker_names[] = {
    {"RunGraph", ROLE_RUN_GRAPH, FALSE},
    {"acl graph replay", ROLE_REPLAY, FALSE},
    {"fx run eagerly", ROLE_EAGER, FALSE},
    {"TorchDynamo Cache Lookup", ROLE_LOOKUP, FALSE},
    {"Torch-Compiled Region", ROLE_REGION, TRUE},
    {"AssembleInputs", ROLE_INPUTS, FALSE},
    {"AssembleOutputs", ROLE_OUTPUTS, FALSE},
    {"LoadGraph", ROLE_LOAD, FALSE},
    {"RefreshAtTensorFrom", ROLE_REFRESH, TRUE},
    {"TorchNpuGraphBase::Load", ROLE_COMPILE, FALSE},
    {"TorchNpuGraphBase::Compile", ROLE_COMPILE, FALSE},
    {"TorchNpuGraphBase::AutoTune", ROLE_COMPILE, FALSE},
    {"acl graph capture", ROLE_COMPILE, FALSE},
    {STEP_PREFIX, ROLE_STEP, TRUE},
};

static const Name operator_names[] = {
    {"tensor", ROLE_BUILD, FALSE},
    {"scalar_tensor", ROLE_BUILD, FALSE},
    {"full", ROLE_BUILD, TRUE},
    {"empty", ROLE_BUILD, TRUE},
    {"fill_", ROLE_BUILD, FALSE},
    {"lift", ROLE_BUILD, TRUE},
    {"contiguous", ROLE_CONTIGUOUS, FALSE},
    {"clone", ROLE_CONTIGUOUS, FALSE},
    {"copy_", ROLE_CONTIGUOUS, FALSE},
    {"_to_copy", ROLE_CONTIGUOUS, FALSE},
};

void marker_fold(const char *text, char *folded, gsize size)
{
    gsize n = 0;

    for (; *text && n + 1 < size; text++) {
        gboolean is_gap = *text == '_' || g_ascii_isspace(*text);

        if (!is_gap)
            folded[n++] = *text;
        else if (n > 0 && folded[n - 1] != ' ')
            folded[n++] = ' ';
    }
    if (n > 0 && folded[n - 1] == ' ')
        n--;
    folded[n] = '\0';
}

static char *folded_option(const Markers *markers, const char *name)
{
    char folded[NAME_MAX_BYTES];

    marker_fold(markers->host->option_text(markers->self, name), folded, sizeof folded);
    return g_strdup(folded);
}

StrobeStatus markers_init(Markers *markers, const StrobeConsumerHost *host, StrobeInstance *self)
{
    const char *pattern = host->option_text(self, "entry");
    g_autoptr(GError) error = NULL;

    *markers = (Markers){.host = host, .self = self};
    if (*pattern) {
        markers->entry = g_regex_new(pattern, G_REGEX_RAW, 0, &error);
        if (!markers->entry)
            return host->fail(self, STROBE_ERROR_ARGUMENT, __FILE__, __LINE__,
                              "Option \"entry\" is \"%s\", expected a regular expression: %s",
                              pattern, error->message);
    }
    markers->inference = folded_option(markers, "inference");
    markers->cache = folded_option(markers, "cache");
    markers->run = folded_option(markers, "run");
    markers->execute = folded_option(markers, "execute");
    markers->roles = g_hash_table_new(g_direct_hash, g_direct_equal);
    return STROBE_OK;
}

void markers_clear(Markers *markers)
{
    g_free(markers->inference);
    g_free(markers->cache);
    g_free(markers->run);
    g_free(markers->execute);
    g_clear_pointer(&markers->entry, g_regex_unref);
    g_clear_pointer(&markers->roles, g_hash_table_unref);
}

static Role role_in(const Name *names, gsize n, const char *text, Role other)
{
    for (gsize i = 0; i < n; i++)
        if (names[i].is_prefix ? g_str_has_prefix(text, names[i].text)
                               : strcmp(text, names[i].text) == 0)
            return names[i].role;
    return other;
}

static Role role_of(const Markers *markers, const char *text, gboolean is_frame)
{
    char folded[NAME_MAX_BYTES];

    if (markers->entry && g_regex_match(markers->entry, text, 0, NULL))
        return ROLE_ENTRY;
    if (is_frame)
        return strstr(text, "eval_frame") || strstr(text, "OptimizedModule") ? ROLE_FRAME
                                                                             : ROLE_NONE;
    if (g_str_has_prefix(text, ATEN_PREFIX))
        return role_in(operator_names, G_N_ELEMENTS(operator_names), text + strlen(ATEN_PREFIX),
                       ROLE_ATEN);
    marker_fold(text, folded, sizeof folded);
    if (!strcmp(folded, markers->inference))
        return ROLE_INFERENCE;
    if (!strcmp(folded, markers->cache))
        return ROLE_CACHE;
    if (!strcmp(folded, markers->run))
        return ROLE_RUN;
    if (!strcmp(folded, markers->execute))
        return ROLE_EXECUTE;
    return role_in(marker_names, G_N_ELEMENTS(marker_names), folded, ROLE_NONE);
}

static Role find_role(Markers *markers, StrobeStringId name, gboolean is_frame, gpointer key)
{
    Role role = GPOINTER_TO_UINT(g_hash_table_lookup(markers->roles, key));

    if (role)
        return role;
    if (g_hash_table_size(markers->roles) == ROLES_MAX)
        g_hash_table_remove_all(markers->roles);
    role = role_of(markers, markers->host->string(markers->self, name).bytes, is_frame);
    g_hash_table_insert(markers->roles, key, GUINT_TO_POINTER(role));
    return role;
}

Role markers_role(Markers *markers, StrobeStringId name, gboolean is_frame)
{
    const gsize key = (gsize)name << 1 | (is_frame != 0), slot = key % MARKERS_RECENT;

    if (!key || markers->recent[slot].key != key) {
        markers->recent[slot].role = find_role(markers, name, is_frame, GSIZE_TO_POINTER(key));
        markers->recent[slot].key = key;
    }
    return markers->recent[slot].role;
}

gint64 markers_step(const Markers *markers, StrobeStringId name)
{
    const char *text = markers->host->string(markers->self, name).bytes;
    gint64 number;

    if (g_str_has_prefix(text, STEP_PREFIX) &&
        g_ascii_string_to_signed(text + strlen(STEP_PREFIX), 10, 0, G_MAXINT64, &number, NULL))
        return number;
    return STROBE_ABSENT_I64;
}
