/* SPDX-License-Identifier: Apache-2.0 */
/* Reads "experimental_config" with the checks of the Ascend PyTorch Profiler, in the order of that
 * profiler. */
#include "ascend-config.h"

#include <math.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>
#include "config-json.h"
#include "error.h"
#include "export-types.h"

#define SECTION "experimental_config"

static const char *const known[] = {"profiler_level",
                                    "aic_metrics",
                                    "l2_cache",
                                    "msprof_tx",
                                    "mstx",
                                    "data_simplification",
                                    "record_op_args",
                                    "export_type",
                                    "host_sys",
                                    "op_attr",
                                    "gc_detect_threshold",
                                    "mstx_domain_include",
                                    "mstx_domain_exclude",
                                    "sys_io",
                                    "sys_interconnection",
                                    NULL};
static const char *const levels[] = {"Level0", "Level1", "Level2", "Level_none", NULL};
static const char *const systems[] = {"cpu", "mem", "disk", "network", "osrt", "numa", NULL};

/* Names of metrics in Python, and in aclprof. */
static const char *const metrics[][2] = {
    {"PipeUtilization", "ACL_AICORE_PIPE_UTILIZATION"},
    {"ArithmeticUtilization", "ACL_AICORE_ARITHMETIC_UTILIZATION"},
    {"Memory", "ACL_AICORE_MEMORY_BANDWIDTH"},
    {"MemoryL0", "ACL_AICORE_L0B_AND_WIDTH"},
    {"MemoryUB", "ACL_AICORE_MEMORY_UB"},
    {"ResourceConflictRatio", "ACL_AICORE_RESOURCE_CONFLICT_RATIO"},
    {"L2Cache", "ACL_AICORE_L2_CACHE"},
    {"MemoryAccess", "ACL_AICORE_MEMORY_ACCESS"},
    {"AiCoreNone", "ACL_AICORE_NONE"},
};

const char *strobe_ascend_metrics_name(const char *text)
{
    for (guint i = 0; i < G_N_ELEMENTS(metrics); i++)
        if (g_str_equal(metrics[i][0], text) || g_str_equal(metrics[i][1], text))
            return metrics[i][0];
    return NULL;
}

const char *strobe_ascend_metrics_acl(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(metrics); i++)
        if (g_str_equal(metrics[i][0], name))
            return metrics[i][1];
    return NULL;
}

/* State that all reading functions of this file use. */
typedef struct Reading {
    StrobeAscendSettings *settings;
    JsonObject *object; /* NULL: nothing was given */
    StrobeConfig *config;
    StrobeConfigPlace place;
} Reading;

static JsonNode *find_member(const Reading *r, const char *key)
{
    return r->object ? json_object_get_member(r->object, key) : NULL;
}

/* Returns the node's text, NULL if it is not a text. */
static const char *text_of(JsonNode *node)
{
    return node && json_node_get_value_type(node) == G_TYPE_STRING ? json_node_get_string(node)
                                                                   : NULL;
}

static void reset_member(const Reading *r, const char *key, const char *expected,
                         const char *instead)
{
    strobe_ascend_reset(r->config, &r->place, key, expected, find_member(r, key), instead);
}

static gboolean is_switched(const Reading *r, const char *key, gboolean otherwise)
{
    return strobe_ascend_switch(r->config, &r->place, r->object, key, otherwise);
}

static void add_warning(const Reading *r, const char *text)
{
    strobe_config_warn(r->config, "%s: %s: %s", r->place.origin, SECTION, text);
}

/* ---- level and metrics ---- */

static gboolean is_low(const char *level)
{
    return g_str_equal(level, "Level0") || g_str_equal(level, "Level_none");
}

static void read_level(const Reading *r)
{
    const char *text = text_of(find_member(r, "profiler_level"));

    r->settings->level = levels[0];
    for (const char *const *level = levels; text && *level; level++)
        if (g_str_equal(*level, text))
            r->settings->level = *level;
    if (find_member(r, "profiler_level") && g_strcmp0(text, r->settings->level) != 0)
        reset_member(r, "profiler_level", "Level_none, Level0, Level1 or Level2", "Level0");
}

/* If the key is missing, no metrics are recorded at any level. */
static void read_metrics(const Reading *r)
{
    const char *text = text_of(find_member(r, "aic_metrics"));
    const char *name = text ? strobe_ascend_metrics_name(text) : NULL;
    gboolean low = is_low(r->settings->level);

    if (find_member(r, "aic_metrics") && !name) {
        name = low ? "AiCoreNone" : "PipeUtilization";
        reset_member(r, "aic_metrics", "the name of metrics such as PipeUtilization", name);
    }
    r->settings->aic_metrics = name ? name : "AiCoreNone";
    if (low && !g_str_equal(r->settings->aic_metrics, "AiCoreNone")) {
        add_warning(
            r, "Please use level1 or level2 if you want to collect aic metrics, reset aic metrics "
               "to None!");
        r->settings->aic_metrics = "AiCoreNone";
    }
}

/* ---- marks ---- */

/* Returns the texts joined by '+', each once; NULL if the member is not an array of texts without
 * '+'. */
static char *join_texts(JsonNode *node)
{
    g_autoptr(GPtrArray) texts = g_ptr_array_new();
    g_autoptr(GHashTable) seen = g_hash_table_new(strobe_hash_of_text, g_str_equal);

    if (!JSON_NODE_HOLDS_ARRAY(node))
        return NULL;
    JsonArray *array = json_node_get_array(node);
    for (guint i = 0; i < json_array_get_length(array); i++) {
        const char *text = text_of(json_array_get_element(array, i));
        if (!text || strchr(text, '+'))
            return NULL;
        if (g_hash_table_add(seen, (gpointer)(uintptr_t)text))
            g_ptr_array_add(texts, (gpointer)(uintptr_t)text);
    }
    g_ptr_array_add(texts, NULL);
    return g_strjoinv("+", (char **)texts->pdata);
}

static char *read_texts(const Reading *r, const char *key)
{
    JsonNode *node = find_member(r, key);
    char *texts = node && !JSON_NODE_HOLDS_NULL(node) ? join_texts(node) : g_strdup("");

    if (!texts)
        reset_member(r, key, "an array of texts", "[]");
    return texts ? texts : g_strdup("");
}

static void read_marks(const Reading *r)
{
    StrobeAscendSettings *s = r->settings;

    s->msprof_tx = is_switched(r, "msprof_tx", FALSE);
    if (s->msprof_tx)
        add_warning(r, "The parameter msprof_tx will be deprecated, please use mstx instead.");
    s->mstx = is_switched(r, "mstx", FALSE);
    if (g_str_equal(s->level, "Level_none") && !s->mstx && !s->msprof_tx) {
        add_warning(r, "The profiler level is Level_none, mstx is set to True.");
        s->mstx = TRUE;
    }
}

static void read_domains(const Reading *r)
{
    StrobeAscendSettings *s = r->settings;

    s->domain_include = read_texts(r, "mstx_domain_include");
    s->domain_exclude = read_texts(r, "mstx_domain_exclude");
    gboolean marks = s->mstx || s->msprof_tx;
    if (!marks && (*s->domain_include || *s->domain_exclude)) {
        add_warning(r, "mstx_domain_include and mstx_domain_exclude need mstx, reset them.");
        *s->domain_include = *s->domain_exclude = '\0';
    }
    if (*s->domain_include && *s->domain_exclude) {
        add_warning(
            r, "mstx_domain_include and mstx_domain_exclude are both set, mstx_domain_exclude is "
               "ignored.");
        *s->domain_exclude = '\0';
    }
}

/* ---- other members ---- */

static void read_export(const Reading *r)
{
    StrobeAscendSettings *s = r->settings;
    g_autoptr(GError) error = NULL;

    s->op_attr = is_switched(r, "op_attr", FALSE);
    if (r->object &&
        !strobe_export_types_read(r->object, r->place.origin, &s->export_types, &error))
        strobe_config_warn(r->config, "%s; it is reset to \"text\"", error->message);
    if (!s->export_types)
        s->export_types = STROBE_EXPORT_TEXT;
    if (s->op_attr && !(s->export_types & STROBE_EXPORT_DB)) {
        add_warning(r, "op_attr switch is invalid with export type set as text.");
        s->op_attr = FALSE;
    }
}

static void read_gc(const Reading *r)
{
    JsonNode *node = find_member(r, "gc_detect_threshold");
    GType type = node ? json_node_get_value_type(node) : G_TYPE_INVALID;
    double value = -1;

    /* The Ascend PyTorch Profiler accepts a bool as a number, because a bool is a number in
     * Python. */
    r->settings->gc_threshold_ms = -1;
    if (!node || JSON_NODE_HOLDS_NULL(node))
        return;
    if (type == G_TYPE_INT64 || type == G_TYPE_DOUBLE)
        value = json_node_get_double(node);
    else if (type == G_TYPE_BOOLEAN)
        value = json_node_get_boolean(node) ? 1 : 0;
    if (isfinite(value) && value >= 0)
        r->settings->gc_threshold_ms = value;
    else
        reset_member(r, "gc_detect_threshold", "a number of milliseconds from 0", "none");
}

/* Reads "host_sys"; one unknown name resets the whole list. */
static void read_host_sys(const Reading *r)
{
    char *texts = read_texts(r, "host_sys");
    g_auto(GStrv) parts = g_strsplit(texts, "+", -1);

    for (char **part = parts; *part; part++)
        if (!g_strv_contains(systems, *part)) {
            reset_member(r, "host_sys", "cpu, mem, disk, network, osrt or numa", "[]");
            *texts = '\0';
            break;
        }
    r->settings->host_sys = texts;
}

static void warn_of_unknown(const Reading *r)
{
    g_autoptr(GList) keys = r->object ? json_object_get_members(r->object) : NULL;

    for (GList *k = keys; k; k = k->next)
        if (!g_strv_contains(known, k->data)) {
            g_autofree char *hint = strobe_nearest_hint(k->data, known);
            strobe_config_warn(r->config, "%s: unknown key \"%s.%s\"%s; it has no effect",
                               r->place.origin, SECTION, (const char *)k->data, hint);
        }
}

void strobe_ascend_experimental_read(StrobeAscendSettings *settings, JsonObject *object,
                                     StrobeConfig *config, const char *origin)
{
    const Reading r = {settings, object, config, {origin, SECTION}};
    JsonNode *simplification = find_member(&r, "data_simplification");

    warn_of_unknown(&r);
    read_level(&r);
    read_metrics(&r);
    settings->l2_cache = is_switched(&r, "l2_cache", FALSE);
    read_marks(&r);
    settings->data_simplification = (simplification && JSON_NODE_HOLDS_NULL(simplification)) ||
                                    is_switched(&r, "data_simplification", TRUE);
    settings->record_op_args = is_switched(&r, "record_op_args", FALSE);
    read_export(&r);
    read_gc(&r);
    settings->sys_io = is_switched(&r, "sys_io", FALSE);
    settings->sys_interconnection = is_switched(&r, "sys_interconnection", FALSE);
    read_domains(&r);
    read_host_sys(&r);
}

void strobe_ascend_settings_clear(StrobeAscendSettings *settings)
{
    g_clear_pointer(&settings->host_sys, g_free);
    g_clear_pointer(&settings->domain_include, g_free);
    g_clear_pointer(&settings->domain_exclude, g_free);
}
