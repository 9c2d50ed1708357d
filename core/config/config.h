/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration: one format, JSON, whatever the front end.
 *
 * {
 *   "schedule":   {"wait": 1, "warmup": 1, "active": 3, "repeat": 1, "skip_first": 0,
 *                  "skip_first_wait": 0},            without it the session is one window
 *   "collectors": {"cpu_op": {"shapes": true, "required": true}, "gc": {"threshold": "1ms"}},
 *   "defaults":   false,                             strobe run: only these collectors
 *   "exporters":  {"chrome_trace": {}, "csv": {}},
 *   "export_type": ["text"],                         which exporters run where "exporters" names
 *                                                    none: "text", "db" or both
 *   "output":     {"directory": "./out",             parent of the result directories
 *                  "worker": "name",                 default: the host name
 *                  "report": "/path"},               each new result directory is appended to it
 *   "buffer":     {"size": "64MB", "flush_interval": "1s",
 *                  "sync": "none",                   or "window", "interval": when the capture is
 *                                                    forced to the disk, against a power cut
 *                  "policy": "drop",                 or "block", "ring": what a full buffer means
 *                  "keep": "30s"},                   ring: how far back a dump reaches
 *   "rotate":     {"size": "1GB", "time": "10min", "steps": 100,
 *                  "keep": 5},                       the capture rolls over into segments
 *   "dump":       {"signal": "SIGUSR2", "slow_step": 2.5, "min_interval": "10s", "max": 16},
 *                                                    what makes a ring dump, beside a call
 *   "ranks":      [0, 3],                            only these ranks record
 *   "metadata":   {"key": any},                      into profiler_metadata.json
 *   "front_end":  {"common_config": {...}, "experimental_config": {...}, ...}
 *                                                    into profiler_info.json as it is
 * }
 *
 * "required" is accepted for every collector: its failure fails the session. So is "optional", an
 * object of options that are set where the component has them; what it lacks is told as a
 * diagnostic. A text over 1 MiB, nested deeper than 64 or with a duplicate key is refused before it
 * is parsed.
 */
#ifndef STROBE_CORE_CONFIG_H
#define STROBE_CORE_CONFIG_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include "config-component.h"
#include "config-buffer.h"

typedef struct StrobeScheduleConfig {
    gint64 wait, warmup, active, repeat, skip_first, skip_first_wait;
} StrobeScheduleConfig;

typedef struct StrobeConfig {
    gboolean has_schedule;
    StrobeScheduleConfig schedule;
    GPtrArray *collectors; /* of StrobeConfigComponent */
    GPtrArray *exporters;
    gboolean is_checked;                    /* strobe run has looked at the exporters */
    gboolean has_collectors, has_exporters; /* the key was there or a flag was given */
    gboolean has_defaults;                  /* strobe run adds the default collectors */
    guint32 export_types;                   /* STROBE_EXPORT_*, 0: not said */
    char *directory;                        /* NULL: the present one */
    char *worker;                           /* NULL: the host name */
    char *report;                           /* NULL: none */
    StrobeBufferConfig buffer;
    StrobeRotateConfig rotate;
    StrobeDumpConfig dump;
    GArray *ranks;         /* of gint64: only these ranks record; NULL: all do */
    JsonObject *metadata;  /* never NULL */
    JsonObject *front_end; /* NULL: none */
    GPtrArray *warnings; /* texts: what of another profiler's file was replaced or has no effect */
} StrobeConfig;

/* The defaults. */
StrobeConfig *strobe_config_new(void);
void strobe_config_free(StrobeConfig *config);

/* Reads Strobe's own keys; `origin` names their place in messages. */
gboolean strobe_config_read(StrobeConfig *config, JsonObject *top, const char *origin,
                            GError **error);

/* A section from a flag's text, "key=value,...": "schedule" is replaced (missing keys are 0, active
 * is required), "buffer", "rotate" and "dump" go before what is set already. */
gboolean strobe_config_set_section(StrobeConfig *config, const char *section, const char *text,
                                   GError **error);

/* Do the sections go together? For the whole of file and flags. */
gboolean strobe_config_check(const StrobeConfig *config, GError **error);

/* Adds "NAME[:opt=value,...]" to what the file named. For a name that is there already, options
 * given here go before the file's. */
gboolean strobe_config_add_collector(StrobeConfig *config, const char *text, GError **error);
gboolean strobe_config_add_exporter(StrobeConfig *config, const char *text, GError **error);

/* "text", "db" or "text+db": which exporters are the default ones. */
gboolean strobe_config_set_export_types(StrobeConfig *config, const char *text, GError **error);

/* Is a process of that rank (-1: none) one to record? */
gboolean strobe_config_records_rank(const StrobeConfig *config, gint rank);

/* What of a file of another profiler was replaced or has no effect. */
void strobe_config_warn(StrobeConfig *config, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The collector of that name, added if it is not there; for mapped keys. */
StrobeConfigComponent *strobe_config_map_collector(StrobeConfig *config, const char *name,
                                                   const char *origin);

/* The default collectors and exporters, for a configuration that names none. */
void strobe_config_add_defaults(StrobeConfig *config);

/* For `strobe run`: its default collectors, which sample too, beside those that are named, unless
 * the configuration has "defaults": false or is a file of another profiler. Options of a default
 * collector stay. */
void strobe_config_add_default_collectors(StrobeConfig *config);

/* A schedule as JSON (unref it). */
JsonObject *strobe_config_schedule_json(const StrobeScheduleConfig *schedule);

/* The whole configuration as JSON text (free it): parsing it gives an equal configuration. */
char *strobe_config_to_json(const StrobeConfig *config);

#endif
