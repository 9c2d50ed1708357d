/* SPDX-License-Identifier: Apache-2.0 */
#include "board-collector.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/thread.h>
#include <sys/prctl.h>
#include <time.h>

#include "board-host.h"
#include "board-report.h"
#include "clock.h"
#include "diagnostic.h"
#include "timed-wait.h"

#define FLUSH_DEADLINE_NS 2000000000
#define ASK_AGAIN_NS 1000000

/* ---- the plugin ---- */

static int refuse_plugin(const BoardCollector *c, const char *why)
{
    board_report("Collector \"%s\": %s: %s", c->name, c->library, why);
    return 0;
}

/* Whether the plugin is built for this version. Checks only integers, because pointers may be
 * followed only in a compatible plugin. */
static int is_compatible(const StrobePlugin *plugin)
{
    return plugin->struct_size >= sizeof *plugin && plugin->abi_minor <= STROBE_ABI_MINOR &&
           plugin->record_version == STROBE_RECORD_VERSION;
}

static int take_component(BoardCollector *c, const StrobeComponent *component)
{
    const StrobeCollectorOps *ops = component->ops;

    if (component->struct_size < sizeof *component ||
        component->type != STROBE_COMPONENT_COLLECTOR || strcmp(component->name, c->name) != 0 ||
        ops->struct_size < sizeof *ops || !ops->sample || !ops->sample_interval)
        return 0;
    c->component = component;
    c->ops = ops;
    return 1;
}

int board_collector_load(BoardCollector *c)
{
    void *library = dlopen(c->library, RTLD_NOW | RTLD_LOCAL);
    const StrobePlugin *plugin = library ? dlsym(library, STROBE_PLUGIN_SYMBOL) : NULL;

    if (!library)
        return refuse_plugin(c, dlerror());
    if (!plugin || !is_compatible(plugin))
        return refuse_plugin(c, "is no plugin of this version of Strobe");
    for (uint32_t i = 0; i < plugin->n_components && !c->component; i++)
        take_component(c, plugin->components[i]);
    if (!c->component)
        return refuse_plugin(c, "has no such collector that samples from outside");
    pthread_mutex_init(&c->lock, NULL);
    strobe_cond_init(&c->wake);
    return 1;
}

/* ---- options ---- */

static int has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (; *list; list += strcspn(list, "+"), list += *list == '+')
        if (strcspn(list, "+") == length && strncmp(list, word, length) == 0)
            return 1;
    return 0;
}

void board_collector_probe(BoardCollector *c)
{
    StrobeProbe answer = {.struct_size = sizeof answer, .available = 1};

    if (c->ops->probe)
        c->ops->probe(STROBE_PROBE_MACHINE, &answer);
    if (answer.available || !c->fallback)
        return;
    board_instance_set(c, c->fallback);
    board_report("Collector \"%s\" uses %s: %s%s%s", c->name, c->fallback,
                 answer.reason ? answer.reason : "it gives no reason", answer.hint ? "; " : "",
                 answer.hint ? answer.hint : "");
}

/* ---- the program's environment ---- */

static int is_wanted(const BoardCollector *c, const StrobeVariable *variable)
{
    const char *value = variable->option ? board_instance_option(c, variable->option) : NULL;

    if (!variable->option)
        return 1;
    return value && (variable->text ? has_word(value, variable->text) : strcmp(value, "1") == 0);
}

/* Copies `text` to `value`, with "{folder}" replaced by the folder of the plugin. */
static void expand_folder(const BoardCollector *c, const char *text, char value[PATH_MAX])
{
    static const char mark[] = "{folder}";
    const char *at = strstr(text, mark), *slash = strrchr(c->library, '/');

    if (at && slash)
        snprintf(value, PATH_MAX, "%.*s%.*s%s", (int)(at - text), text, (int)(slash - c->library),
                 c->library, at + strlen(mark));
    else
        snprintf(value, PATH_MAX, "%s", text);
}

char *board_collector_variable(const BoardCollector *c, const StrobeVariable *variable,
                               const char *before)
{
    const int has_value = before && *before;
    char value[PATH_MAX], *joined = NULL;

    if (!is_wanted(c, variable) || (has_value && variable->how == STROBE_VARIABLE_UNLESS_SET))
        return NULL;
    expand_folder(c, variable->value, value);
    if (!has_value)
        return strdup(value);
    if (asprintf(&joined, "%s:%s", variable->how == STROBE_VARIABLE_APPEND ? before : value,
                 variable->how == STROBE_VARIABLE_APPEND ? value : before) < 0)
        return NULL;
    return joined;
}

int board_collector_is_late(const BoardCollector *c)
{
    for (uint32_t i = 0; i < c->component->n_variables; i++)
        if (is_wanted(c, &c->component->variables[i]))
            return 1;
    return 0;
}

/* ---- calls ---- */

static int fail_collector(BoardCollector *c, const char *call)
{
    char text[BOARD_CAUSES_BYTES + 256];

    c->has_failed = 1;
    snprintf(text, sizeof text, "collector %s: %s: %s", c->name, call,
             *c->causes ? c->causes : "it gives no reason");
    board_report("%s", text);
    strobe_diagnostic_record(c->name, text);
    return 0;
}

static void record_call(const BoardCollector *c, const char *call, uint64_t begin,
                        StrobeStatus status)
{
    strobe_collector_call_record(c->name, call, status, begin, strobe_clock_now());
}

int board_collector_open(BoardCollector *c)
{
    const uint64_t begin = strobe_clock_now();
    const StrobeStatus status = c->ops->open(&board_host, c, &c->state);

    record_call(c, "open", begin, status);
    c->is_open = status == STROBE_OK;
    if (!c->is_open)
        return fail_collector(c, "open");
    return !c->ops->warm || c->ops->warm(c->state) == STROBE_OK || fail_collector(c, "warm");
}

/* ---- sampling ---- */

static void *sample_main(void *user)
{
    BoardCollector *c = user;

    prctl(PR_SET_NAME, "strobe-sampler");
    pthread_mutex_lock(&c->lock);
    while (!c->is_stopping) {
        const int64_t now = strobe_clock_ns(CLOCK_MONOTONIC);

        if (now < c->source.next) {
            strobe_cond_wait_until(&c->wake, &c->lock, c->source.next);
            continue;
        }
        pthread_mutex_unlock(&c->lock);
        strobe_periodic_source_sample(&c->source, now);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    strobe_periodic_source_finish(&c->source);
    return NULL;
}

static void start_sampling(BoardCollector *c)
{
    const int64_t interval = c->ops->sample_interval(c->state);

    if (interval <= 0) /* the collector has nothing to sample */
        return;
    c->source = strobe_periodic_source(c->name, c->ops, c->state, interval,
                                       strobe_clock_ns(CLOCK_MONOTONIC));
    c->has_thread = strobe_thread_start(&c->thread, sample_main, c) == 0;
    if (!c->has_thread)
        board_report("Collector \"%s\": cannot start a thread: nothing is sampled", c->name);
}

static void stop_sampling(BoardCollector *c)
{
    if (!c->has_thread)
        return;
    pthread_mutex_lock(&c->lock);
    c->is_stopping = 1;
    pthread_cond_broadcast(&c->wake);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    c->has_thread = 0;
}

int board_collector_start(BoardCollector *c, int tries)
{
    const uint64_t begin = strobe_clock_now();
    StrobeStatus status;

    if (!c->is_open || c->is_started || c->has_failed)
        return c->is_started;
    c->causes[0] = 0;
    status = c->ops->start(c->state);
    /* any other status, also the positive STROBE_UNAVAILABLE, is a failure */
    c->is_started = status == STROBE_OK;
    if (!c->is_started && tries)
        return 0;
    record_call(c, "start", begin, status);
    if (!c->is_started)
        return fail_collector(c, "start");
    start_sampling(c);
    return 1;
}

static void flush_late(const BoardCollector *c)
{
    const struct timespec pause = {.tv_nsec = ASK_AGAIN_NS};
    const int64_t until = strobe_clock_ns(CLOCK_MONOTONIC) + FLUSH_DEADLINE_NS;
    const uint64_t deadline =
        strobe_clock_now() + (uint64_t)(FLUSH_DEADLINE_NS * strobe_clock_rate());

    while (c->ops->flush(c->state, deadline) == STROBE_AGAIN &&
           strobe_clock_ns(CLOCK_MONOTONIC) < until)
        nanosleep(&pause, NULL);
}

void board_collector_stop(BoardCollector *c)
{
    if (!c->is_started)
        return;
    stop_sampling(c);
    const uint64_t begin = strobe_clock_now();
    const StrobeStatus status = c->ops->stop(c->state);
    record_call(c, "stop", begin, status);
    if (status < 0)
        fail_collector(c, "stop");
    else if (c->ops->flush)
        flush_late(c);
    c->is_started = 0;
}

void board_collector_close(BoardCollector *c)
{
    if (!c->is_open)
        return;
    if (c->ops->cool)
        c->ops->cool(c->state);
    c->ops->close(c->state);
    c->is_open = 0;
}
