/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of records between the program and the disk: the sections "buffer", "rotate" and
 * "dump" of a configuration. */
#ifndef STROBE_CORE_CONFIG_BUFFER_H
#define STROBE_CORE_CONFIG_BUFFER_H

#include <glib.h>
#include <json-glib/json-glib.h>

/* Size of the pool if none is given. */
#define STROBE_BUFFER_DEFAULT_BYTES ((gint64)64 << 20)

/* The memory between the program and the capture. */
typedef struct StrobeBufferConfig {
    gint64 bytes; /* size of the pool; 0: not given */
    gint64 flush_interval_ns;
    guint32 sync;     /* STROBE_SYNC_* of recorder.h */
    guint32 policy;   /* STROBE_POLICY_* of pool.h */
    guint32 compress; /* STROBE_COMPRESS_* of recording-settings.h */
    gint64 keep_ns;   /* policy ring: time that a dump covers, 0: as much as the pool holds */
} StrobeBufferConfig;

/* Limits of a segment of a rotating capture; 0: no limit. */
typedef struct StrobeRotateConfig {
    gint64 bytes, ns, steps;
    gint64 keep; /* number of kept segments, including the newest; 0: all */
} StrobeRotateConfig;

/* Triggers of a flight recorder's dumps, in addition to calls of the program. */
typedef struct StrobeDumpConfig {
    gint signal;      /* 0: none */
    double slow_step; /* dump if a step takes longer than this times the running median; 0: never */
    gint64 min_interval_ns;
    gint64 max; /* maximum number of dumps by signal and slow step together; 0: no limit */
} StrobeDumpConfig;

StrobeBufferConfig strobe_buffer_config_default(void);
StrobeDumpConfig strobe_dump_config_default(void);

/* Each function reads its section, whose JSON object is `object`; NULL: the section is missing. */
gboolean strobe_buffer_config_read(StrobeBufferConfig *buffer, JsonObject *object,
                                   const char *origin, GError **error);
gboolean strobe_rotate_config_read(StrobeRotateConfig *rotate, JsonObject *object,
                                   const char *origin, GError **error);
gboolean strobe_dump_config_read(StrobeDumpConfig *dump, JsonObject *object, const char *origin,
                                 GError **error);

/* Returns the sections as JSON (unref them). */
JsonObject *strobe_buffer_config_json(const StrobeBufferConfig *buffer);
JsonObject *strobe_rotate_config_json(const StrobeRotateConfig *rotate);
JsonObject *strobe_dump_config_json(const StrobeDumpConfig *dump);

gboolean strobe_rotate_config_any(const StrobeRotateConfig *rotate);

#endif
