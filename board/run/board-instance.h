/* SPDX-License-Identifier: Apache-2.0 */
/* A collector on a board, and the values of its options. */
#ifndef STROBE_BOARD_INSTANCE_H
#define STROBE_BOARD_INSTANCE_H

#include <pthread.h>
#include <stdint.h>
#include <strobe/collector.h>

#include "periodic-source.h"

#define BOARD_OPTIONS_MAX 32
#define BOARD_CAUSES_BYTES 1024

/* Initialise with zeros; the members up to `fallback` are set by the plan. */
typedef struct StrobeInstance {
    const char *name;    /* of the component */
    const char *library; /* path of the plugin */
    const char *options[BOARD_OPTIONS_MAX], *values[BOARD_OPTIONS_MAX];
    unsigned n_options;
    int is_required;
    const char *fallback; /* "OPTION=VALUE" to set if it cannot work otherwise; NULL: nothing */

    unsigned number;                    /* from 1; link ids contain it */
    const struct StrobeInstance *first; /* all collectors of the run */
    unsigned n_all;
    const char *directory; /* of the capture */
    const StrobeComponent *component;
    const StrobeCollectorOps *ops;
    void *state;
    int is_open, is_started, has_failed;
    char causes[BOARD_CAUSES_BYTES]; /* newest first */
    pthread_mutex_t lock;            /* for the causes and the members below */
    pthread_cond_t wake;
    pthread_t thread;
    int has_thread, is_stopping;
    StrobePeriodicSource source;
} BoardCollector;

/* The value of an option; NULL: the plan has none of this name. */
const char *board_instance_option(const BoardCollector *collector, const char *name);
/* Replaces the value of an option by that of "NAME=VALUE". */
void board_instance_set(BoardCollector *collector, const char *pair);

#endif
