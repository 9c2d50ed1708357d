/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh-link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "remote-error.h"

#define STEP_MS 100

/* ---- waiting ---- */

gboolean strobe_ssh_wait_more(SshWait *wait)
{
    const gint64 left_us = wait->end_us - g_get_monotonic_time();
    const int fd = ssh_get_fd(wait->session);
    struct pollfd polled[] = {{.fd = wait->request->cancel, .events = POLLIN},
                              {.fd = fd, .events = POLLIN}};

    if (left_us <= 0)
        return FALSE;
    if (fd >= 0 && ssh_get_poll_flags(wait->session) & SSH_WRITE_PENDING)
        polled[1].events |= POLLOUT;
    poll(polled, 2, (int)MIN(left_us / 1000 + 1, STEP_MS));
    wait->is_cancelled = (polled[0].revents & POLLIN) != 0;
    return !wait->is_cancelled;
}

gboolean strobe_ssh_refuse_wait(const SshWait *wait, const char *name, const char *step,
                                GError **error)
{
    if (wait->is_cancelled)
        return strobe_remote_refuse(error, "%s: interrupted while %s", name, step);
    return strobe_remote_refuse(error, "%s: no answer within %u s while %s", name,
                                wait->request->deadline_ms / 1000, step);
}

/* ---- connecting ---- */

static void set_options(StrobeLink *link, const StrobeLinkRequest *request)
{
    const StrobeTarget *target = request->target;
    const int is_off = 0;
    const long timeout_s = request->deadline_ms / 1000;
    const unsigned port = target->port;

    ssh_options_set(link->session, SSH_OPTIONS_HOST, target->host);
    ssh_options_set(link->session, SSH_OPTIONS_TIMEOUT, &timeout_s);
    if (!target->has_user_config)
        ssh_options_set(link->session, SSH_OPTIONS_PROCESS_CONFIG, &is_off);
    else
        ssh_options_parse_config(link->session, NULL);
    if (target->user)
        ssh_options_set(link->session, SSH_OPTIONS_USER, target->user);
    if (port)
        ssh_options_set(link->session, SSH_OPTIONS_PORT, &port);
    ssh_options_set(link->session, SSH_OPTIONS_KNOWNHOSTS, request->known_hosts);
    ssh_options_set(link->session, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null");
}

static char *make_name(StrobeLink *link)
{
    char *user = NULL;
    unsigned port = 22;

    ssh_options_get(link->session, SSH_OPTIONS_USER, &user);
    ssh_options_get_port(link->session, &port);
    char *name = g_strdup_printf("%s@%s, port %u", user ? user : "", link->target->host, port);
    ssh_string_free_char(user);
    return name;
}

static gboolean connect_session(StrobeLink *link, SshWait *wait, GError **error)
{
    int code;

    ssh_set_blocking(link->session, 0);
    while ((code = ssh_connect(link->session)) == SSH_AGAIN)
        if (!strobe_ssh_wait_more(wait))
            return strobe_ssh_refuse_wait(wait, link->name, "connecting", error);
    if (code == SSH_OK)
        return TRUE;
    g_autofree char *why =
        strobe_remote_excerpt(ssh_get_error(link->session), strlen(ssh_get_error(link->session)));
    return strobe_remote_refuse(error, "%s: cannot connect: %s", link->name, why);
}

/* Makes the kernel notice that the board does not answer any more: a board that has lost its power
 * does not close the connection. */
static void watch_peer(StrobeLink *link, guint keepalive_s)
{
    const int fd = ssh_get_fd(link->session), on = 1, idle = (int)keepalive_s, times = 3;
    const unsigned timeout_ms = 3 * keepalive_s * 1000;

    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static void close_link(StrobeLink *link)
{
    if (!link)
        return;
    if (link->session) {
        if (ssh_is_connected(link->session) && !link->failure)
            ssh_disconnect(link->session);
        ssh_free(link->session);
    }
    g_free(link->name);
    g_free(link->failure);
    g_free(link);
}

static StrobeLink *open_link(const StrobeLinkRequest *request, GError **error)
{
    StrobeLink *link = g_new0(StrobeLink, 1);
    SshWait wait = {.request = request};

    link->target = request->target;
    link->session = ssh_new();
    set_options(link, request);
    link->name = make_name(link);
    wait.session = link->session;
    wait.end_us = g_get_monotonic_time() + (gint64)request->deadline_ms * 1000;
    if (connect_session(link, &wait, error) && strobe_ssh_check_host_key(link, &wait, error) &&
        strobe_ssh_authenticate(link, &wait, error)) {
        watch_peer(link, request->target->keepalive_s);
        link->target = NULL;
        return link;
    }
    close_link(link);
    return NULL;
}

/* ---- the state ---- */

static int get_descriptor(StrobeLink *link)
{
    return ssh_get_fd(link->session);
}

static short find_events(StrobeLink *link)
{
    return (short)(POLLIN | (ssh_get_poll_flags(link->session) & SSH_WRITE_PENDING ? POLLOUT : 0));
}

static const char *find_failure(StrobeLink *link)
{
    if (!link->failure && !ssh_is_connected(link->session)) {
        const char *why = ssh_get_error(link->session);

        link->failure = strobe_remote_excerpt(why, strlen(why));
        if (!*link->failure) {
            g_free(link->failure);
            link->failure = g_strdup("the board closed the connection");
        }
    }
    return link->failure;
}

static char *find_own_address(StrobeLink *link)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    char text[NI_MAXHOST] = "";

    if (getsockname(ssh_get_fd(link->session), (struct sockaddr *)&address, &size) != 0 ||
        getnameinfo((struct sockaddr *)&address, size, text, sizeof text, NULL, 0,
                    NI_NUMERICHOST) != 0)
        return NULL;
    return g_strdup(text);
}

__attribute__((visibility("default"))) const StrobeLinkApi strobe_link_api_1;
const StrobeLinkApi strobe_link_api_1 = {
    .open = open_link,
    .close = close_link,
    .descriptor = get_descriptor,
    .events = find_events,
    .failure = find_failure,
    .own_address = find_own_address,
    .exec = strobe_ssh_exec,
    .subsystem = strobe_ssh_start_subsystem,
    .read = strobe_ssh_read,
    .write = strobe_ssh_write,
    .end_input = strobe_ssh_end_input,
    .end = strobe_ssh_end,
    .free = strobe_ssh_free_channel,
};
