/* SPDX-License-Identifier: Apache-2.0 */
#include "remote-sftp.h"

#include <string.h>

#define ANSWER_US (3 * G_USEC_PER_SEC)

/* The message INIT of SFTP: length, type and version, in big-endian order. */
static const guchar init_message[] = {0, 0, 0, 5, 1, 0, 0, 0, 3};
enum { HEAD = 5, VERSION_TYPE = 2 };

typedef struct Probe {
    StrobeChannel *channel;
    gsize n_sent, n_got;
    guchar head[HEAD];
    gboolean is_over;
} Probe;

static void step_probe(StrobeRemote *remote, Probe *probe)
{
    guchar rest[256];
    gssize n = 0;

    if (probe->n_sent < sizeof init_message)
        n = remote->api->write(probe->channel, init_message + probe->n_sent,
                               sizeof init_message - probe->n_sent);
    probe->n_sent += n > 0 ? (gsize)n : 0;
    probe->is_over = n < 0;
    n = remote->api->read(probe->channel, FALSE, probe->head + probe->n_got, HEAD - probe->n_got);
    probe->n_got += n > 0 ? (gsize)n : 0;
    probe->is_over |= n < 0 || probe->n_got == HEAD;
    remote->api->read(probe->channel, TRUE, rest, sizeof rest);
}

gboolean strobe_remote_has_sftp(StrobeRemote *remote, gboolean *has_sftp, GError **error)
{
    const gint64 end_us = g_get_monotonic_time() + ANSWER_US;
    Probe probe = {.channel = remote->api->subsystem(remote->link, "sftp")};
    gboolean good = TRUE;

    while (good && !probe.is_over && g_get_monotonic_time() < end_us) {
        step_probe(remote, &probe);
        good = probe.is_over || strobe_remote_turn(remote, 20, error);
    }
    *has_sftp = probe.n_got == HEAD && probe.head[HEAD - 1] == VERSION_TYPE;
    remote->api->free(probe.channel);
    return good;
}
