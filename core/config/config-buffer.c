/* SPDX-License-Identifier: Apache-2.0 */
#include "config-buffer.h"

#include <signal.h>
#include <string.h>
#include <strobe/helpers/compression.h>
#include "config-json.h"
#include "error.h"
#include "options.h"
#include "recording-settings.h"

#define DEFAULT_FLUSH_NS 1000000000
#define DEFAULT_DUMP_INTERVAL_NS ((gint64)10 * 1000000000)
#define DEFAULT_DUMPS 16
#define DAY_NS ((gint64)24 * 3600 * 1000000000)

static const char *const sync_names[] = {"none", "window", "interval", NULL};
static const char *const policy_names[] = {"drop", "block", "ring", NULL};
static const char *const compress_names[] = {"none", "zstd", NULL};

static const StrobeConfigMeasure pool_size = {strobe_parse_bytes, STROBE_POOL_MIN_BYTES,
                                              (gint64)64 << 30, "a size from \"8MB\" to \"64GB\""};
static const StrobeConfigMeasure flush_interval = {strobe_parse_duration, 1000000,
                                                   (gint64)3600 * 1000000000,
                                                   "a duration from \"1ms\" to \"60min\""};
static const StrobeConfigMeasure reach = {strobe_parse_duration, 1000000, 30 * DAY_NS,
                                          "a duration from \"1ms\" to \"43200min\""};
static const StrobeConfigMeasure segment_size = {strobe_parse_bytes, 1 << 20, (gint64)1 << 50,
                                                 "a size from \"1MB\" to \"1048576GB\""};
static const StrobeConfigMeasure segment_time = {strobe_parse_duration, 100000000, 30 * DAY_NS,
                                                 "a duration from \"100ms\" to \"43200min\""};
static const StrobeConfigMeasure dump_interval = {strobe_parse_duration, 0, 30 * DAY_NS,
                                                  "a duration from \"0s\" to \"43200min\""};

/* Signals that may be chosen as the trigger of a dump, because most programs do not use them. */
static const struct {
    const char *name;
    gint number;
} signals[] = {{"SIGUSR1", SIGUSR1}, {"SIGUSR2", SIGUSR2}, {"SIGHUP", SIGHUP},
               {"SIGQUIT", SIGQUIT}, {"SIGPROF", SIGPROF}, {"SIGWINCH", SIGWINCH}};

StrobeBufferConfig strobe_buffer_config_default(void)
{
    return (StrobeBufferConfig){.flush_interval_ns = DEFAULT_FLUSH_NS};
}

StrobeDumpConfig strobe_dump_config_default(void)
{
    return (StrobeDumpConfig){.min_interval_ns = DEFAULT_DUMP_INTERVAL_NS, .max = DEFAULT_DUMPS};
}

static gboolean get_compress(const StrobeConfigPlace *place, JsonObject *object, guint32 *out,
                             GError **error)
{
    if (!strobe_config_get_choice(place, object, "compress", compress_names, out, error))
        return FALSE;
    if (*out == STROBE_COMPRESS_NONE || strobe_compression_exists())
        return TRUE;
    strobe_config_set_wrong(place, "compress", "none: this Strobe was built without libzstd",
                            json_object_get_member(object, "compress"), error);
    return FALSE;
}

gboolean strobe_buffer_config_read(StrobeBufferConfig *buffer, JsonObject *object,
                                   const char *origin, GError **error)
{
    static const char *const known[] = {"size", "flush_interval", "sync", "policy",
                                        "keep", "compress",       NULL};
    StrobeConfigPlace place = {origin, "buffer"};

    if (!object)
        return TRUE;
    return strobe_config_check_keys(&place, object, known, error) &&
           strobe_config_get_measure(&place, object, "size", &pool_size, &buffer->bytes, error) &&
           strobe_config_get_measure(&place, object, "flush_interval", &flush_interval,
                                     &buffer->flush_interval_ns, error) &&
           strobe_config_get_choice(&place, object, "sync", sync_names, &buffer->sync, error) &&
           strobe_config_get_choice(&place, object, "policy", policy_names, &buffer->policy,
                                    error) &&
           strobe_config_get_measure(&place, object, "keep", &reach, &buffer->keep_ns, error) &&
           get_compress(&place, object, &buffer->compress, error);
}

gboolean strobe_rotate_config_read(StrobeRotateConfig *rotate, JsonObject *object,
                                   const char *origin, GError **error)
{
    static const char *const known[] = {"size", "time", "steps", "keep", NULL};
    StrobeConfigPlace place = {origin, "rotate"};

    if (!object)
        return TRUE;
    return strobe_config_check_keys(&place, object, known, error) &&
           strobe_config_get_measure(&place, object, "size", &segment_size, &rotate->bytes,
                                     error) &&
           strobe_config_get_measure(&place, object, "time", &segment_time, &rotate->ns, error) &&
           strobe_config_get_count(&place, object, "steps", 1, &rotate->steps, error) &&
           strobe_config_get_count(&place, object, "keep", 1, &rotate->keep, error);
}

static gboolean get_signal(const StrobeConfigPlace *place, JsonObject *object, gint *out,
                           GError **error)
{
    g_autofree char *name = NULL;
    g_autoptr(GString) expected = g_string_new(NULL);

    if (!strobe_config_get_string(place, object, "signal", &name, error))
        return FALSE;
    for (guint i = 0; name && i < G_N_ELEMENTS(signals); i++) {
        if (strcmp(name, signals[i].name) == 0 || strcmp(name, signals[i].name + 3) == 0) {
            *out = signals[i].number;
            return TRUE;
        }
        g_string_append_printf(expected, "%s%s", i ? ", " : "", signals[i].name);
    }
    if (name)
        strobe_config_set_wrong(place, "signal", expected->str,
                                json_object_get_member(object, "signal"), error);
    return name == NULL;
}

gboolean strobe_dump_config_read(StrobeDumpConfig *dump, JsonObject *object, const char *origin,
                                 GError **error)
{
    static const char *const known[] = {"signal", "slow_step", "min_interval", "max", NULL};
    StrobeConfigPlace place = {origin, "dump"};

    if (!object)
        return TRUE;
    return strobe_config_check_keys(&place, object, known, error) &&
           get_signal(&place, object, &dump->signal, error) &&
           strobe_config_get_number(&place, object, "slow_step", 1.01, 1e6, &dump->slow_step,
                                    error) &&
           strobe_config_get_measure(&place, object, "min_interval", &dump_interval,
                                     &dump->min_interval_ns, error) &&
           strobe_config_get_count(&place, object, "max", 0, &dump->max, error);
}

gboolean strobe_rotate_config_any(const StrobeRotateConfig *rotate)
{
    return rotate->bytes || rotate->ns || rotate->steps;
}

/* ---- writing ---- */

static void set_measure(JsonObject *object, const char *key, gint64 value, const char *unit)
{
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT "%s", value, unit);
    json_object_set_string_member(object, key, text);
}

JsonObject *strobe_buffer_config_json(const StrobeBufferConfig *buffer)
{
    JsonObject *out = json_object_new();

    if (buffer->bytes)
        set_measure(out, "size", buffer->bytes, "B");
    set_measure(out, "flush_interval", buffer->flush_interval_ns, "ns");
    json_object_set_string_member(out, "sync", sync_names[buffer->sync]);
    json_object_set_string_member(out, "policy", policy_names[buffer->policy]);
    json_object_set_string_member(out, "compress", compress_names[buffer->compress]);
    if (buffer->keep_ns)
        set_measure(out, "keep", buffer->keep_ns, "ns");
    return out;
}

JsonObject *strobe_rotate_config_json(const StrobeRotateConfig *rotate)
{
    JsonObject *out = json_object_new();

    if (rotate->bytes)
        set_measure(out, "size", rotate->bytes, "B");
    if (rotate->ns)
        set_measure(out, "time", rotate->ns, "ns");
    if (rotate->steps)
        json_object_set_int_member(out, "steps", rotate->steps);
    if (rotate->keep)
        json_object_set_int_member(out, "keep", rotate->keep);
    return out;
}

JsonObject *strobe_dump_config_json(const StrobeDumpConfig *dump)
{
    JsonObject *out = json_object_new();

    for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
        if (dump->signal == signals[i].number)
            json_object_set_string_member(out, "signal", signals[i].name);
    if (dump->slow_step > 0)
        json_object_set_double_member(out, "slow_step", dump->slow_step);
    set_measure(out, "min_interval", dump->min_interval_ns, "ns");
    json_object_set_int_member(out, "max", dump->max);
    return out;
}
