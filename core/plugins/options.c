/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include "error.h"
#include "json-text.h"

struct value {
    gint64 number; /* value of a bool, int, duration or bytes option */
    double real;
    char *text;
    gboolean is_set;
};

struct StrobeOptions {
    const StrobeOption *declared;
    guint n;
    char *owner;
    struct value *values;
};

static const char *const type_names[] = {"",     "bool",     "int",   "double", "string", "enum",
                                         "list", "duration", "bytes", "path",   "kinds"};

const char *strobe_option_type_name(guint32 type)
{
    return type < G_N_ELEMENTS(type_names) && type ? type_names[type] : "unknown";
}

/* ---- texts to values ---- */

/* Names of units. Messages show the first name of each factor. */
struct unit {
    const char *name;
    double factor;
};

static const struct unit duration_units[] = {{"ns", 1},  {"us", 1e3},   {"ms", 1e6},
                                             {"s", 1e9}, {"min", 6e10}, {NULL, 0}};
static const struct unit byte_units[] = {{"B", 1},
                                         {"KB", 1024.0},
                                         {"KiB", 1024.0},
                                         {"K", 1024.0},
                                         {"MB", 1048576.0},
                                         {"MiB", 1048576.0},
                                         {"M", 1048576.0},
                                         {"GB", 1073741824.0},
                                         {"GiB", 1073741824.0},
                                         {"G", 1073741824.0},
                                         {NULL, 0}};

static gboolean parse_with_unit(const char *text, const struct unit *units, gint64 *out)
{
    char *end;
    double number = g_ascii_strtod(text, &end);

    if (end == text || !isfinite(number))
        return FALSE;
    while (*end == ' ')
        end++;
    for (; units->name; units++)
        if (strcmp(end, units->name) == 0) {
            double value = number * units->factor;
            if (fabs(value) > 9e18)
                return FALSE;
            *out = (gint64)llround(value);
            return TRUE;
        }
    if (*end == 0 && number == 0) { /* zero needs no unit */
        *out = 0;
        return TRUE;
    }
    return FALSE;
}

gboolean strobe_parse_duration(const char *text, gint64 *ns)
{
    return parse_with_unit(text, duration_units, ns);
}

gboolean strobe_parse_bytes(const char *text, gint64 *bytes)
{
    return parse_with_unit(text, byte_units, bytes);
}

/* Returns the unit that is most similar to the unit at the end of the text, in the form of
 * strobe_nearest_hint; "" if the text does not end with letters. */
static char *unit_hint(const char *text, const struct unit *units)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    char *end;

    g_ascii_strtod(text, &end);
    while (*end == ' ')
        end++;
    if (end == text || !*end)
        return g_strdup("");
    for (; units->name; units++) {
        if (strcmp(end, units->name) == 0)
            return g_strdup("");
        if (g_ascii_strcasecmp(end, units->name) == 0)
            end = (char *)(uintptr_t)units->name;
        g_ptr_array_add(names, (gpointer)(uintptr_t)units->name);
    }
    g_ptr_array_add(names, NULL);
    return strobe_nearest_hint(end, (const char *const *)names->pdata);
}

char *strobe_bytes_hint(const char *text)
{
    return unit_hint(text, byte_units);
}

gboolean strobe_parse_bool(const char *text, gint64 *out)
{
    static const char *const yes[] = {"true", "on", "yes", "1", NULL};
    static const char *const no[] = {"false", "off", "no", "0", NULL};

    *out = g_strv_contains(yes, text);
    return *out || g_strv_contains(no, text);
}

static gboolean parse_int(const char *text, gint64 *out)
{
    char *end;

    errno = 0;
    *out = g_ascii_strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == 0;
}

static gboolean parse_double(const char *text, double *out)
{
    char *end;

    *out = g_ascii_strtod(text, &end);
    return end != text && *end == 0 && isfinite(*out);
}

static gboolean is_choice(const StrobeOption *option, const char *text)
{
    return !option->choices || g_strv_contains(option->choices, text);
}

static gboolean parse_list(const StrobeOption *option, const char *text)
{
    if (!option->choices || !*text)
        return TRUE;
    g_auto(GStrv) parts = g_strsplit(text, "+", -1);
    for (guint i = 0; parts[i]; i++)
        if (!is_choice(option, parts[i]))
            return FALSE;
    return TRUE;
}

static gboolean parse_value(const StrobeOption *option, const char *text, struct value *value)
{
    switch (option->type) {
    case STROBE_OPTION_BOOL:
        return strobe_parse_bool(text, &value->number);
    case STROBE_OPTION_INT:
        return parse_int(text, &value->number);
    case STROBE_OPTION_DOUBLE:
        return parse_double(text, &value->real);
    case STROBE_OPTION_ENUM:
        return is_choice(option, text);
    case STROBE_OPTION_LIST:
    case STROBE_OPTION_KINDS:
        return parse_list(option, text);
    case STROBE_OPTION_DURATION:
        return strobe_parse_duration(text, &value->number);
    case STROBE_OPTION_BYTES:
        return strobe_parse_bytes(text, &value->number);
    default:
        return TRUE;
    }
}

static gboolean in_range(const StrobeOption *option, const struct value *value)
{
    double number = option->type == STROBE_OPTION_DOUBLE ? value->real : (double)value->number;

    if (option->min == 0 && option->max == 0)
        return TRUE;
    switch (option->type) {
    case STROBE_OPTION_INT:
    case STROBE_OPTION_DOUBLE:
    case STROBE_OPTION_DURATION:
    case STROBE_OPTION_BYTES:
        return number >= option->min && (option->max == 0 || number <= option->max);
    default:
        return TRUE;
    }
}

/* ---- texts for messages ---- */

static char *with_unit(double value, const struct unit *units)
{
    const struct unit *best = units;

    for (; units->name; units++)
        if (units->factor > best->factor && value >= units->factor &&
            fmod(value, units->factor) == 0)
            best = units;
    return g_strdup_printf("%.15g%s", value / best->factor, best->name);
}

static char *limit_text(const StrobeOption *option, double value)
{
    if (option->type == STROBE_OPTION_DURATION)
        return with_unit(value, duration_units);
    if (option->type == STROBE_OPTION_BYTES)
        return with_unit(value, byte_units);
    return g_strdup_printf("%.15g", value);
}

char *strobe_option_range(const StrobeOption *option)
{
    if (option->choices) {
        g_autofree char *joined = g_strjoinv("|", (char **)(uintptr_t)option->choices);
        return g_strdup(joined);
    }
    if (option->min == 0 && option->max == 0)
        return g_strdup("");
    g_autofree char *low = limit_text(option, option->min);
    if (option->max == 0)
        return g_strdup_printf("from %s", low);
    g_autofree char *high = limit_text(option, option->max);
    return g_strdup_printf("%s..%s", low, high);
}

static const char *form_of(guint32 type)
{
    switch (type) {
    case STROBE_OPTION_BOOL:
        return "true or false";
    case STROBE_OPTION_INT:
        return "an integer";
    case STROBE_OPTION_DOUBLE:
        return "a number";
    case STROBE_OPTION_DURATION:
        return "a number with ns, us, ms, s or min";
    case STROBE_OPTION_BYTES:
        return "a number with B, K, M or G (KB, KiB and so on are the same)";
    case STROBE_OPTION_LIST:
        return "values joined by +";
    case STROBE_OPTION_KINDS:
        return "kinds joined by +";
    default:
        return "a text";
    }
}

static char *hint_for(const StrobeOption *option, const char *found)
{
    if (option->choices)
        return strobe_nearest_hint(found, option->choices);
    if (option->type == STROBE_OPTION_BYTES)
        return unit_hint(found, byte_units);
    if (option->type == STROBE_OPTION_DURATION)
        return unit_hint(found, duration_units);
    return g_strdup("");
}

/* Sets the error for a wrong value. `found` is the value in the form for messages: a text is in
 * quotes. */
static void set_bad_value(const StrobeOptions *options, const StrobeOption *option,
                          const char *found, const char *origin, GError **error)
{
    g_autofree char *range = strobe_option_range(option);
    g_autofree char *bare = g_strndup(*found ? found + 1 : found, MAX(strlen(found), 2) - 2);
    g_autofree char *hint = hint_for(option, bare);

    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                "%s: option \"%s\" of %s: expected %s%s%s%s, found %s%s", origin, option->name,
                options->owner, form_of(option->type), *range ? " (" : "", range, *range ? ")" : "",
                found, hint);
}

/* ---- setting ---- */

static guint find_option(const StrobeOptions *options, const char *name)
{
    for (guint i = 0; i < options->n; i++)
        if (strcmp(options->declared[i].name, name) == 0)
            return i;
    return G_MAXUINT;
}

static guint find_or_fail(const StrobeOptions *options, const char *name, const char *origin,
                          GError **error)
{
    guint i = find_option(options, name);

    if (i == G_MAXUINT) {
        g_autoptr(GPtrArray) names = g_ptr_array_new_null_terminated(0, NULL, TRUE);
        for (guint k = 0; k < options->n; k++)
            g_ptr_array_add(names, (gpointer)(uintptr_t)options->declared[k].name);
        g_autofree char *hint =
            strobe_nearest_hint(name, options->n ? (const char *const *)names->pdata : NULL);
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s: %s has no option \"%s\"%s",
                    origin, options->owner, name, hint);
    }
    return i;
}

static gboolean set_at(StrobeOptions *options, guint i, const char *text, const char *origin,
                       GError **error)
{
    const StrobeOption *option = &options->declared[i];
    struct value value = {0};

    if (!parse_value(option, text, &value) || !in_range(option, &value)) {
        g_autofree char *found = g_strdup_printf("\"%s\"", text);
        set_bad_value(options, option, found, origin, error);
        return FALSE;
    }
    g_free(options->values[i].text);
    value.text = g_strdup(text);
    value.is_set = TRUE;
    options->values[i] = value;
    return TRUE;
}

StrobeOptions *strobe_options_new(const StrobeOption *declared, guint n, const char *owner,
                                  GError **error)
{
    StrobeOptions *options = g_new0(StrobeOptions, 1);

    options->declared = declared;
    options->n = n;
    options->owner = g_strdup(owner);
    options->values = g_new0(struct value, n + 1);
    for (guint i = 0; i < n; i++) {
        if ((declared[i].flags & STROBE_OPTION_REQUIRED) || !declared[i].default_value)
            continue;
        g_autoptr(GError) cause = NULL;
        if (!set_at(options, i, declared[i].default_value, "the plugin's own default", &cause)) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_PLUGIN, "%s", cause->message);
            strobe_options_free(options);
            return NULL;
        }
        options->values[i].is_set = FALSE;
    }
    return options;
}

void strobe_options_free(StrobeOptions *options)
{
    if (!options)
        return;
    for (guint i = 0; i < options->n; i++)
        g_free(options->values[i].text);
    g_free(options->values);
    g_free(options->owner);
    g_free(options);
}

gboolean strobe_options_set_text(StrobeOptions *options, const char *name, const char *text,
                                 const char *origin, GError **error)
{
    guint i = find_or_fail(options, name, origin, error);
    return i != G_MAXUINT && set_at(options, i, text, origin, error);
}

/* Returns a JSON value in the form in which a user would type it; NULL if there is none. */
static char *text_of_json(const StrobeOption *option, JsonNode *node)
{
    if ((option->type == STROBE_OPTION_LIST || option->type == STROBE_OPTION_KINDS) &&
        JSON_NODE_HOLDS_ARRAY(node)) {
        JsonArray *array = json_node_get_array(node);
        g_autoptr(GString) joined = g_string_new(NULL);
        for (guint i = 0; i < json_array_get_length(array); i++) {
            JsonNode *item = json_array_get_element(array, i);
            if (json_node_get_value_type(item) != G_TYPE_STRING)
                return NULL;
            g_string_append_printf(joined, "%s%s", i ? "+" : "", json_node_get_string(item));
        }
        return g_strdup(joined->str);
    }
    if (!JSON_NODE_HOLDS_VALUE(node))
        return NULL;
    GType type = json_node_get_value_type(node);
    /* in JSON only true and false are booleans, not "yes" */
    if (option->type == STROBE_OPTION_BOOL)
        return type == G_TYPE_BOOLEAN ? g_strdup(json_node_get_boolean(node) ? "true" : "false")
                                      : NULL;
    if (type == G_TYPE_STRING)
        return g_strdup(json_node_get_string(node));
    if (type == G_TYPE_INT64 &&
        (option->type == STROBE_OPTION_INT || option->type == STROBE_OPTION_DOUBLE))
        return g_strdup_printf("%" G_GINT64_FORMAT, json_node_get_int(node));
    if (type == G_TYPE_INT64 && option->type == STROBE_OPTION_BYTES)
        return g_strdup_printf("%" G_GINT64_FORMAT "B", json_node_get_int(node));
    if (type == G_TYPE_DOUBLE && option->type == STROBE_OPTION_DOUBLE) {
        char buffer[G_ASCII_DTOSTR_BUF_SIZE];
        return g_strdup(g_ascii_dtostr(buffer, sizeof buffer, json_node_get_double(node)));
    }
    return NULL;
}

gboolean strobe_options_set_json(StrobeOptions *options, const char *name, JsonNode *node,
                                 const char *origin, GError **error)
{
    guint i = find_or_fail(options, name, origin, error);

    if (i == G_MAXUINT)
        return FALSE;
    g_autofree char *text = text_of_json(&options->declared[i], node);
    if (!text) {
        g_autofree char *found = strobe_json_to_text(node, STROBE_JSON_SPACED);
        set_bad_value(options, &options->declared[i], found, origin, error);
        return FALSE;
    }
    return set_at(options, i, text, origin, error);
}

gboolean strobe_options_has(const StrobeOptions *options, const char *name)
{
    return find_option(options, name) != G_MAXUINT;
}

gboolean strobe_options_check(const StrobeOptions *options, GError **error)
{
    for (guint i = 0; i < options->n; i++)
        if ((options->declared[i].flags & STROBE_OPTION_REQUIRED) && !options->values[i].is_set) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s needs the option \"%s\": %s",
                        options->owner, options->declared[i].name, options->declared[i].summary);
            return FALSE;
        }
    return TRUE;
}

/* ---- reading ---- */

static const struct value *value_of(const StrobeOptions *options, const char *name)
{
    static const struct value none = {0};
    guint i = find_option(options, name);

    return i == G_MAXUINT ? &none : &options->values[i];
}

gboolean strobe_options_bool(const StrobeOptions *options, const char *name)
{
    return value_of(options, name)->number != 0;
}

gint64 strobe_options_int(const StrobeOptions *options, const char *name)
{
    return value_of(options, name)->number;
}

double strobe_options_double(const StrobeOptions *options, const char *name)
{
    return value_of(options, name)->real;
}

const char *strobe_options_text(const StrobeOptions *options, const char *name)
{
    const char *text = value_of(options, name)->text;
    return text ? text : "";
}

/* ---- "NAME:opt=value,opt=value" ---- */

/* Returns the text up to an unescaped `stop`, and moves *text past it. */
static char *take_part(const char **text, char stop)
{
    g_autoptr(GString) out = g_string_new(NULL);
    const char *p = *text;

    for (; *p && *p != stop; p++) {
        if (*p == '\\' && (p[1] == ',' || p[1] == '\\'))
            p++;
        g_string_append_c(out, *p);
    }
    *text = *p ? p + 1 : p;
    return g_strdup(out->str);
}

static gboolean has_option(const GPtrArray *pairs, const char *name)
{
    for (guint i = 0; i < pairs->len; i += 2)
        if (strcmp(g_ptr_array_index(pairs, i), name) == 0)
            return TRUE;
    return FALSE;
}

/* Splits the list into the texts option, value, option, value ...; messages use `text`. */
static GPtrArray *split_pairs(const char *list, const char *text, GError **error)
{
    g_autoptr(GPtrArray) pairs = g_ptr_array_new_with_free_func(g_free);

    while (*list) {
        g_autofree char *part = take_part(&list, ',');
        char *equals = strchr(part, '=');
        if (!equals || equals == part) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                        "\"%s\": expected option=value, found \"%s\"", text, part);
            return NULL;
        }
        *equals = '\0';
        if (has_option(pairs, part)) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "\"%s\": \"%s\" is given twice",
                        text, part);
            return NULL;
        }
        g_ptr_array_add(pairs, g_strdup(part));
        g_ptr_array_add(pairs, g_strdup(equals + 1));
    }
    return g_steal_pointer(&pairs);
}

GPtrArray *strobe_options_pairs(const char *list, GError **error)
{
    return split_pairs(list, list, error);
}

char *strobe_options_split(const char *text, GPtrArray **pairs, GError **error)
{
    const char *colon = strchr(text, ':');
    g_autofree char *name = colon ? g_strndup(text, (gsize)(colon - text)) : g_strdup(text);

    *pairs = NULL;
    if (!*name) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "\"%s\": expected NAME[:option=value[,option=value]...]", text);
        return NULL;
    }
    *pairs = split_pairs(colon ? colon + 1 : "", text, error);
    return *pairs ? g_steal_pointer(&name) : NULL;
}
