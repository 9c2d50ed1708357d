/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of a session that a writer process needs: its configuration, and values that depend on
 * the program's environment, which the writer does not have. The program writes these data into the
 * pool as text before it starts the writer; the writer copies the text before the program
 * continues.
 *
 * The first line is a JSON object with metadata, the rest is the configuration (config.h).
 */
#ifndef STROBE_CORE_WRITER_SETUP_H
#define STROBE_CORE_WRITER_SETUP_H

#include "config.h"
#include "pool.h"
#include "registry.h"

typedef struct StrobeWriterSetup {
    StrobeConfig *config; /* `directory` and `worker` are set; `directory` is absolute */
    char **plugin_path;   /* folders, for strobe_registry_new() */
    char *command;        /* command line of the program */
    GArray *outside;      /* of guint: numbers of the collectors, from 1, that run in the writer */
    pid_t target;         /* the recorded process if this is not the program; 0: the program */
    gint rank;            /* rank of the program when it made the session; -1: it had none */
} StrobeWriterSetup;

/* Returns the text for the pool (free it). `target` is the recorded process; 0: the program
 * itself. */
char *strobe_writer_setup_text(const StrobeConfig *config, const StrobeRegistry *registry,
                               const GArray *outside, pid_t target);
/* Read the setup from the pool's text, or from a given text (free the result). The text may be
 * damaged, because the program could write anything there. */
StrobeWriterSetup *strobe_writer_setup_read(const struct pool_header *pool, GError **error);
StrobeWriterSetup *strobe_writer_setup_parse(const char *text, GError **error);
void strobe_writer_setup_free(StrobeWriterSetup *setup);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeWriterSetup, strobe_writer_setup_free)

#endif
