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

/* A collector. The caller must initialise it with zeros; board_plan_read sets the members up to
 * `fallback`. */
typedef struct StrobeInstance {
    const char *name;    /* name of the component */
    const char *library; /* path of the plugin */
    const char *options[BOARD_OPTIONS_MAX], *values[BOARD_OPTIONS_MAX];
    unsigned n_options;
    int is_required;
    /* setting "OPTION=VALUE" for the case that the collector cannot work without it; NULL: none */
    const char *fallback;

    unsigned number; /* number of the collector, from 1, which link ids contain */
    /* first of the n_all collectors of the run, which are an array */
    const struct StrobeInstance *first;
    unsigned n_all;
    const char *directory; /* folder of the capture */
    const StrobeComponent *component;
    const StrobeCollectorOps *ops;
    void *state;
    int is_open, is_started, has_failed;
    char causes[BOARD_CAUSES_BYTES]; /* messages of host_fail, the newest first */
    pthread_mutex_t lock;            /* protects `causes` and the members below */
    pthread_cond_t wake;
    pthread_t thread;
    int has_thread, is_stopping;
    StrobePeriodicSource source;
} BoardCollector;

/* Returns the value of an option. NULL: the plan has no option of this name. */
const char *board_instance_option(const BoardCollector *collector, const char *name);
/* Replaces the value of the option NAME in `pair`, "NAME=VALUE", by VALUE. */
void board_instance_set(BoardCollector *collector, const char *pair);

#endif
