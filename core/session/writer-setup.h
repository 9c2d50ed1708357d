/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of a session that a writer process needs: its configuration, and values that depend
 * on the program's environment, which the writer does not have. The program puts it into the
 * pool as text before it starts the writer; the writer copies the text before the program goes
 * on.
 *
 * The first line is a JSON object with metadata, the rest is the configuration (config.h).
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
    GArray *outside;      /* of guint: numbers of the collectors, from 1, that run in the writer */
    pid_t target;         /* the recorded process if it is not the program; 0: the program */
    gint rank;            /* of the program when it made the session; -1: none */
} StrobeWriterSetup;

/* The text for the pool (free it). `target`: 0 for the program itself. */
char *strobe_writer_setup_text(const StrobeConfig *config, const StrobeRegistry *registry,
                               const GArray *outside, pid_t target);
/* Reads the pool's text, or a given one (free it). The program may have written anything there. */
StrobeWriterSetup *strobe_writer_setup_read(const struct pool_header *pool, GError **error);
StrobeWriterSetup *strobe_writer_setup_parse(const char *text, GError **error);
void strobe_writer_setup_free(StrobeWriterSetup *setup);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeWriterSetup, strobe_writer_setup_free)

#endif
