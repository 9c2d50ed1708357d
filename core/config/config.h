/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration: all front ends use one format, JSON.
 *
 * {
 *   "schedule":   {"wait": 1, "warmup": 1, "active": 3, "repeat": 1, "skip_first": 0,
 *                  "skip_first_wait": 0},            without it the session is one window
 *   "collectors": {"cpu_op": {"shapes": true, "required": true}, "gc": {"threshold": "1ms"}},
 *   "defaults":   false,                             strobe run: only these collectors
 *   "exporters":  {"chrome_trace": {}, "csv": {}},
 *   "export_type": ["text"],                         which exporters run if "exporters" names
 *                                                    none: "text", "db" or both
 *   "output":     {"directory": "./out",             parent of the result directories
 *                  "worker": "name",                 default: the host name
 *                  "report": "/path"},               each new result directory's path is
 *                                                    appended to this file
 *   "buffer":     {"size": "64MB", "flush_interval": "1s",
 *                  "sync": "none",                   or "window", "interval": when the capture is
 *                                                    forced to the disk, against a power cut
 *                  "policy": "drop",                 or "block", "ring": what happens if the
 *                                                    buffer is full
 *                  "keep": "30s"},                   ring: how far back a dump reaches
 *   "rotate":     {"size": "1GB", "time": "10min", "steps": 100,
 *                  "keep": 5},                       the capture rolls over into segments
 *   "dump":       {"signal": "SIGUSR2", "slow_step": 2.5, "min_interval": "10s", "max": 16},
 *                                                    what makes a ring dump, besides a call
 *   "ranks":      [0, 3],                            only these ranks record
 *   "metadata":   {"key": any},                      into profiler_metadata.json
 *   "front_end":  {"common_config": {...}, "experimental_config": {...}, ...}
 *                                                    into profiler_info.json as it is
 * }
 *
 * Every collector accepts "required" (if it is true, a failure of the collector fails the session)
 * and "optional", an object of options that are set if the component has them; a diagnostic names
 * the options that the component lacks. A text over 1 MiB, nested deeper than 64 or with a
 * duplicate key is refused before it is parsed.
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
    gboolean is_from_run; /* of `strobe run`, which has already checked the exporters */
    gboolean has_collectors, has_exporters; /* the key exists in the file, or a flag was given */
    gboolean has_defaults;                  /* strobe run adds the default collectors */
    guint32 export_types;                   /* STROBE_EXPORT_*, 0: not given */
    char *directory;                        /* NULL: the current folder */
    char *worker;                           /* NULL: the host name */
    char *report;                           /* NULL: none */
    StrobeBufferConfig buffer;
    StrobeRotateConfig rotate;
    StrobeDumpConfig dump;
    GArray *ranks;         /* of gint64: only these ranks record; NULL: all do */
    JsonObject *metadata;  /* never NULL */
    JsonObject *front_end; /* NULL: none */
    GPtrArray *warnings;   /* texts: keys of another profiler's file that were replaced or have no
                            * effect */
} StrobeConfig;

/* Returns a configuration with all defaults. */
StrobeConfig *strobe_config_new(void);
void strobe_config_free(StrobeConfig *config);

/* Reads the keys of Strobe's own format; messages name `origin`. */
gboolean strobe_config_read(StrobeConfig *config, JsonObject *top, const char *origin,
                            GError **error);

/* Sets a section from a flag's text, "key=value,...". The flag replaces the whole section
 * "schedule" (missing keys are 0, active is required); in "buffer", "rotate" and "dump" it replaces
 * only the given keys. */
gboolean strobe_config_set_section(StrobeConfig *config, const char *section, const char *text,
                                   GError **error);

/* Checks that the sections are consistent with each other; call it when the file and all flags have
 * been read. */
gboolean strobe_config_check(const StrobeConfig *config, GError **error);

/* Adds the collector "NAME[:opt=value,...]" to the collectors of the file. If the file has this
 * collector, the options in `text` override the file's options. */
gboolean strobe_config_add_collector(StrobeConfig *config, const char *text, GError **error);
gboolean strobe_config_add_exporter(StrobeConfig *config, const char *text, GError **error);

/* Selects the default exporters by "text", "db" or "text+db". */
gboolean strobe_config_set_export_types(StrobeConfig *config, const char *text, GError **error);

/* Should a process of rank `rank` (-1: none) be recorded? */
gboolean strobe_config_records_rank(const StrobeConfig *config, gint rank);

/* Adds a warning about a key in another profiler's file that was replaced or has no effect. */
void strobe_config_warn(StrobeConfig *config, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Returns the collector `name`, added if it is missing. Used for keys of another profiler's file
 * that stand for collectors. */
StrobeConfigComponent *strobe_config_map_collector(StrobeConfig *config, const char *name,
                                                   const char *origin);

/* Adds the default collectors to a configuration that names no collectors, and the default
 * exporters to one that names no exporters. */
void strobe_config_add_defaults(StrobeConfig *config);

/* Adds the default collectors of `strobe run`, which include collectors that sample, unless the
 * configuration has "defaults": false or is another profiler's file. A default collector that the
 * configuration already names keeps its options. */
void strobe_config_add_default_collectors(StrobeConfig *config);

/* Returns a schedule as JSON (unref it). */
JsonObject *strobe_config_schedule_json(const StrobeScheduleConfig *schedule);

/* Returns the whole configuration as JSON text (free it), which parses to an equal
 * configuration. */
char *strobe_config_to_json(const StrobeConfig *config);

#endif
