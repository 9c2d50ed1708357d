/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a writer process must know of a session: its configuration, and what depends on the
 * environment of the program, which is not the writer's. The program puts it into the pool as text
 * before it starts the writer; the writer copies the text before the program goes on.
 *
 * Its first line is a JSON object of facts, the rest is the configuration (config.h).
 */
#ifndef STROBE_CORE_WRITER_SETUP_H
#define STROBE_CORE_WRITER_SETUP_H

#include "config.h"
#include "pool.h"
#include "registry.h"

typedef struct StrobeWriterSetup {
    StrobeConfig *config; /* directory and worker are set, the directory is absolute */
    char **plugin_path;   /* folders, for strobe_registry_new() */
    char *command;        /* of the program */
    GArray *outside;      /* of guint: numbers of collectors, from 1, that run in the writer */
    pid_t target;         /* the process to be sampled where it is not the program; 0: it is */
    gint rank;            /* of the program when it made the session; -1: none */
} StrobeWriterSetup;

/* The text for the pool (free it). `target`: 0 for the program itself. */
char *strobe_writer_setup_text(const StrobeConfig *config, const StrobeRegistry *registry,
                               const GArray *outside, pid_t target);
/* Reads the pool's text, or one (free it). The program may have written anything there. */
StrobeWriterSetup *strobe_writer_setup_read(const struct pool_header *pool, GError **error);
StrobeWriterSetup *strobe_writer_setup_parse(const char *text, GError **error);
void strobe_writer_setup_free(StrobeWriterSetup *setup);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeWriterSetup, strobe_writer_setup_free)

#endif
