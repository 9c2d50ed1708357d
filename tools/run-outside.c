/* SPDX-License-Identifier: Apache-2.0 */
#include "run-outside.h"

#include <string.h>

#include "command.h"
#include "config-file.h"
#include "outside.h"
#include "run-claim.h"
#include "run-diagnosis.h"
#include "session.h"

struct StrobeRunOutside {
    char *config; /* configuration of the session */
    char *folder;
    StrobeSession *session;
};

static gboolean is_outside(StrobeRegistry *registry, const StrobeConfigComponent *wanted)
{
    const StrobeComponent *component =
        strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, wanted->name, NULL, NULL);

    return component && strobe_component_is_outside(component);
}

/* Whether the collector shows where the time of a program goes, and can do so here from outside the
 * program. It cannot if the system refuses perf. */
static gboolean is_stand_in(StrobeRegistry *registry, const StrobeConfigComponent *wanted)
{
    const StrobeComponent *component =
        strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, wanted->name, NULL, NULL);
    const StrobeCollectorOps *ops = component->ops;
    StrobeProbe answer = {.struct_size = sizeof answer, .available = 1};

    if (!(component->flags & STROBE_COMPONENT_STAND_IN))
        return FALSE;
    if (ops->probe)
        ops->probe(STROBE_PROBE_MACHINE, &answer);
    return answer.available != 0;
}

/* Returns the configuration, as JSON, with only the collectors that can run outside of the program
 * (free it). NULL: is_stand_in() is FALSE for all of them. */
static char *make_config(const StrobeConfig *config, StrobeRegistry *registry)
{
    g_autofree char *whole = strobe_config_to_json(config);
    StrobeConfig *own = strobe_config_parse(whole, NULL, NULL);
    gboolean has_reason = FALSE;

    for (guint i = own ? own->collectors->len : 0; i > 0; i--) {
        const StrobeConfigComponent *wanted = g_ptr_array_index(own->collectors, i - 1);
        if (!is_outside(registry, wanted))
            g_ptr_array_remove_index(own->collectors, i - 1);
        else
            has_reason |= is_stand_in(registry, wanted);
    }
    char *text = has_reason ? strobe_config_to_json(own) : NULL;
    if (own)
        strobe_config_free(own);
    return text;
}

StrobeRunOutside *strobe_run_outside_new(const StrobeConfig *config, StrobeRegistry *registry,
                                         const char *folder, char *const *command,
                                         char *const *environment)
{
    g_autofree char *obstacle = strobe_run_obstacle(command, environment);
    g_autofree char *text =
        obstacle && !config->has_schedule ? make_config(config, registry) : NULL;

    if (!text)
        return NULL;
    strobe_complain("Recorded from outside only: %s", obstacle);
    StrobeRunOutside *outside = g_new0(StrobeRunOutside, 1);
    outside->config = g_steal_pointer(&text);
    outside->folder = g_strdup(folder);
    return outside;
}

void strobe_run_outside_begin(void *user, pid_t pid)
{
    StrobeRunOutside *outside = user;
    StrobeError *error = NULL;

    if (!outside)
        return;
    /* The claim is provisional: a child of the command in which more collectors work may take over.
     * Until then the children are sampled too. */
    strobe_claim_take(outside->folder, STROBE_CLAIM_FOR_NOW, FALSE);
    StrobeStatus status =
        strobe_session_make(outside->config, "strobe run", TRUE, pid, &outside->session, &error);
    if (status == STROBE_OK)
        status = strobe_session_start(outside->session, &error);
    if (status != STROBE_OK)
        strobe_complain("%s", strobe_error_message(error));
    strobe_error_free(error);
}

void strobe_run_outside_end(StrobeRunOutside *outside)
{
    if (!outside)
        return;
    strobe_session_free(outside->session);
    g_free(outside->config);
    g_free(outside->folder);
    g_free(outside);
}
