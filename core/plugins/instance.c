/* SPDX-License-Identifier: Apache-2.0 */
#include "instance.h"

#include <string.h>
#include "error.h"
#include "registry.h"

/* Sets the optional settings ("optional"). Lists a setting in `lacking` if the component has no
 * such option or does not accept the value. */
static void set_wished(StrobeOptions *options, const StrobeConfigComponent *wanted,
                       GString *lacking)
{
    g_autoptr(GList) keys = wanted->wished ? json_object_get_members(wanted->wished) : NULL;

    for (GList *k = keys; k; k = k->next) {
        JsonNode *value = json_object_get_member(wanted->wished, k->data);
        g_autoptr(GError) error = NULL;
        if (strobe_options_has(options, k->data) &&
            strobe_options_set_json(options, k->data, value, wanted->origin, &error))
            continue;
        const char *text =
            json_node_get_value_type(value) == G_TYPE_STRING ? json_node_get_string(value) : NULL;
        /* A missing option that was to be off is not reported. */
        if (lacking && g_strcmp0(text, "none") != 0)
            g_string_append_printf(lacking, "%s%s", lacking->len ? ", " : "",
                                   error ? error->message : (const char *)k->data);
    }
}

gboolean strobe_instance_set_options(StrobeOptions *options, const StrobeConfigComponent *wanted,
                                     GString *lacking, GError **error)
{
    if (wanted)
        set_wished(options, wanted, lacking);
    if (wanted && wanted->json) {
        g_autoptr(GList) keys = json_object_get_members(wanted->json);
        for (GList *k = keys; k; k = k->next)
            if (!strobe_options_set_json(options, k->data,
                                         json_object_get_member(wanted->json, k->data),
                                         wanted->origin, error))
                return FALSE;
    }
    for (guint i = 0; wanted && wanted->pairs && i < wanted->pairs->len; i += 2)
        if (!strobe_options_set_text(options, g_ptr_array_index(wanted->pairs, i),
                                     g_ptr_array_index(wanted->pairs, i + 1), wanted->origin,
                                     error))
            return FALSE;
    return strobe_options_check(options, error);
}

gboolean strobe_instance_check_options(const StrobeComponent *component,
                                       const StrobeConfigComponent *wanted, GError **error)
{
    g_autofree char *owner =
        g_strdup_printf("%s %s", strobe_component_type_name(component->type), wanted->name);
    StrobeOptions *options =
        strobe_options_new(component->options, component->n_options, owner, error);
    gboolean good = options && strobe_instance_set_options(options, wanted, NULL, error);

    strobe_options_free(options);
    return good;
}

gboolean strobe_instance_init(StrobeInstance *self, const StrobeComponent *component,
                              const StrobeConfigComponent *wanted, StrobeLogFunction on_log,
                              gpointer owner, GError **error)
{
    g_autofree char *name =
        g_strdup_printf("%s %s", strobe_component_type_name(component->type), component->name);

    memset(self, 0, sizeof *self);
    self->component = component;
    self->owner = owner;
    self->on_log = on_log;
    g_mutex_init(&self->lock);
    self->causes = g_string_new(NULL);
    self->lacking = g_string_new(NULL);
    self->options = strobe_options_new(component->options, component->n_options, name, error);
    if (!self->options ||
        !strobe_instance_set_options(self->options, wanted, self->lacking, error)) {
        strobe_instance_clear(self);
        return FALSE;
    }
    return TRUE;
}

void strobe_instance_clear(StrobeInstance *self)
{
    if (!self->causes)
        return;
    strobe_options_free(self->options);
    g_string_free(self->causes, TRUE);
    g_string_free(self->lacking, TRUE);
    g_mutex_clear(&self->lock);
    memset(self, 0, sizeof *self);
}

static StrobeStatus status_for_error(StrobeStatus status)
{
    return status < 0 ? status : STROBE_ERROR_FAILED;
}

char *strobe_instance_causes(StrobeInstance *self)
{
    g_mutex_lock(&self->lock);
    char *causes = self->causes->len ? g_strdup(self->causes->str) : NULL;
    g_mutex_unlock(&self->lock);
    return causes;
}

char *strobe_instance_take_causes(StrobeInstance *self)
{
    g_mutex_lock(&self->lock);
    char *causes = self->causes->len ? g_strdup(self->causes->str) : NULL;
    g_string_truncate(self->causes, 0);
    g_mutex_unlock(&self->lock);
    return causes;
}

void strobe_instance_set_error(StrobeInstance *self, const char *call, StrobeStatus status,
                               GError **error)
{
    g_mutex_lock(&self->lock);
    g_set_error(error, STROBE_ERROR, status_for_error(status), "%s %s: %s failed: %s",
                strobe_component_type_name(self->component->type), self->component->name, call,
                self->causes->len ? self->causes->str : "no reason was given");
    g_string_truncate(self->causes, 0);
    g_mutex_unlock(&self->lock);
}

gint32 strobe_instance_option_bool(StrobeInstance *self, const char *name)
{
    return strobe_options_bool(self->options, name);
}

gint64 strobe_instance_option_int(StrobeInstance *self, const char *name)
{
    return strobe_options_int(self->options, name);
}

double strobe_instance_option_double(StrobeInstance *self, const char *name)
{
    return strobe_options_double(self->options, name);
}

const char *strobe_instance_option_text(StrobeInstance *self, const char *name)
{
    return strobe_options_text(self->options, name);
}

void strobe_instance_log(StrobeInstance *self, gint32 level, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    self->on_log(self, level, text);
}

StrobeStatus strobe_instance_fail(StrobeInstance *self, StrobeStatus status, const char *file,
                                  gint32 line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    g_autofree char *place = file ? g_path_get_basename(file) : g_strdup("?");
    g_mutex_lock(&self->lock);
    if (self->causes->len)
        g_string_prepend(self->causes, ": ");
    g_string_prepend(self->causes, text);
    g_mutex_unlock(&self->lock);
    strobe_instance_log(self, STROBE_LOG_DEBUG, "%s:%d: %s", place, line, text);
    return status;
}
