/* SPDX-License-Identifier: Apache-2.0 */
/* Channels that run a command on the board. A channel is opened, then the request is sent, then the
 * output is read. Each step is made as soon as the board has answered the previous one. */
#include <string.h>

#include <libssh/callbacks.h>

#include "ssh-link.h"

#define TRIES 5

enum { STATE_OPENING, STATE_REQUESTING, STATE_OPEN, STATE_FAILED };

struct StrobeChannel {
    StrobeLink *link;
    ssh_channel channel;
    char *request;
    gboolean is_subsystem;
    guint n_tries;
    int state;
    gboolean wants_end; /* the input must be ended as soon as the channel is open */
    StrobeChannelEnd end;
    struct ssh_channel_callbacks_struct callbacks;
};

static void note_status(ssh_session session, ssh_channel ssh, int status, void *user)
{
    StrobeChannel *channel = user;

    channel->end.is_known = TRUE;
    channel->end.status = status;
}

static void note_signal(ssh_session session, ssh_channel ssh, const char *name, int core,
                        const char *text, const char *language, void *user)
{
    StrobeChannel *channel = user;

    channel->end.is_known = TRUE;
    channel->end.status = -1;
    g_strlcpy(channel->end.signal, name ? name : "", sizeof channel->end.signal);
}

static void open_channel(StrobeChannel *channel)
{
    channel->channel = ssh_channel_new(channel->link->session);
    channel->state = channel->channel ? STATE_OPENING : STATE_FAILED;
    if (!channel->channel)
        return;
    ssh_callbacks_init(&channel->callbacks);
    channel->callbacks.userdata = channel;
    channel->callbacks.channel_exit_status_function = note_status;
    channel->callbacks.channel_exit_signal_function = note_signal;
    ssh_set_channel_callbacks(channel->channel, &channel->callbacks);
}

static void close_channel(StrobeChannel *channel)
{
    if (!channel->channel)
        return;
    ssh_remove_channel_callbacks(channel->channel, &channel->callbacks);
    ssh_channel_free(channel->channel); /* this also sends the message that closes the channel */
    channel->channel = NULL;
}

static StrobeChannel *start_channel(StrobeLink *link, const char *request, gboolean is_subsystem)
{
    StrobeChannel *channel = g_new0(StrobeChannel, 1);

    channel->link = link;
    channel->request = g_strdup(request);
    channel->is_subsystem = is_subsystem;
    channel->end.status = -1;
    open_channel(channel);
    return channel;
}

StrobeChannel *strobe_ssh_exec(StrobeLink *link, const char *command)
{
    return start_channel(link, command, FALSE);
}

StrobeChannel *strobe_ssh_start_subsystem(StrobeLink *link, const char *name)
{
    return start_channel(link, name, TRUE);
}

static int send_request(StrobeChannel *channel)
{
    return channel->is_subsystem ? ssh_channel_request_subsystem(channel->channel, channel->request)
                                 : ssh_channel_request_exec(channel->channel, channel->request);
}

/* Handles a channel that the board has closed. dropbear may close a channel as soon as it is open,
 * if the program of another channel ends at the same time. If the request was not accepted yet,
 * nothing runs, so this opens a new channel. */
static void fail_channel(StrobeChannel *channel)
{
    g_strlcpy(channel->end.reason, ssh_get_error(channel->link->session),
              sizeof channel->end.reason);
    if (!channel->end.reason[0])
        g_strlcpy(channel->end.reason, "the board closed the channel", sizeof channel->end.reason);
    if (!ssh_is_connected(channel->link->session) || ++channel->n_tries >= TRIES) {
        channel->state = STATE_FAILED;
        return;
    }
    close_channel(channel);
    open_channel(channel);
}

/* Makes the steps that are possible. FALSE: the channel is not open yet, or has failed. */
static gboolean advance_channel(StrobeChannel *channel)
{
    int code = SSH_OK;

    if (channel->state == STATE_OPENING) {
        code = ssh_channel_open_session(channel->channel);
        if (code == SSH_OK)
            channel->state = STATE_REQUESTING;
    }
    if (channel->state == STATE_REQUESTING) {
        code = send_request(channel);
        if (code == SSH_OK) {
            channel->state = STATE_OPEN;
            channel->end.reason[0] = '\0';
        }
    }
    if (code == SSH_ERROR)
        fail_channel(channel);
    if (channel->state == STATE_OPEN && channel->wants_end) {
        channel->wants_end = FALSE;
        ssh_channel_send_eof(channel->channel);
    }
    return channel->state == STATE_OPEN;
}

gssize strobe_ssh_read(StrobeChannel *channel, gboolean is_error, void *bytes, gsize size)
{
    if (!advance_channel(channel))
        return channel->state == STATE_FAILED ? -1 : 0;
    const uint32_t most = (uint32_t)MIN(size, G_MAXINT32);
    int got = ssh_channel_read_nonblocking(channel->channel, bytes, most, is_error);

    /* The first call may have received the last bytes together with the end of the channel, and
     * then returns 0. */
    if (got == 0 && ssh_channel_poll(channel->channel, is_error) > 0)
        got = ssh_channel_read_nonblocking(channel->channel, bytes, most, is_error);
    if (got > 0)
        return got;
    if (got == SSH_EOF || got == SSH_ERROR)
        return -1;
    return ssh_channel_is_eof(channel->channel) || ssh_channel_is_closed(channel->channel) ? -1 : 0;
}

gssize strobe_ssh_write(StrobeChannel *channel, const void *bytes, gsize length)
{
    if (!advance_channel(channel))
        return channel->state == STATE_FAILED ? -1 : 0;
    if (ssh_channel_is_closed(channel->channel))
        return -1;
    const uint32_t room = ssh_channel_window_size(channel->channel);
    const gsize part = MIN(MIN(length, room), 32768);
    if (part == 0 || ssh_get_poll_flags(channel->link->session) & SSH_WRITE_PENDING) {
        /* receives messages from the board that enlarge the window */
        ssh_channel_poll(channel->channel, 0);
        return 0;
    }
    const int sent = ssh_channel_write(channel->channel, bytes, (uint32_t)part);
    return sent < 0 ? (sent == SSH_AGAIN ? 0 : -1) : sent;
}

void strobe_ssh_end_input(StrobeChannel *channel)
{
    channel->wants_end = TRUE;
    advance_channel(channel);
}

/* libssh processes no messages for a channel whose output has ended, although the status of the
 * command may follow: it would stay in the socket. */
static void take_messages(const StrobeChannel *channel)
{
    ssh_event event = ssh_event_new();

    if (event && ssh_event_add_session(event, channel->link->session) == SSH_OK) {
        ssh_event_dopoll(event, 0);
        ssh_event_remove_session(event, channel->link->session);
    }
    ssh_event_free(event);
}

const StrobeChannelEnd *strobe_ssh_end(StrobeChannel *channel)
{
    if (!channel->end.is_known && channel->state == STATE_OPEN &&
        ssh_channel_is_eof(channel->channel))
        take_messages(channel);
    return &channel->end;
}

void strobe_ssh_free_channel(StrobeChannel *channel)
{
    if (!channel)
        return;
    close_channel(channel);
    g_free(channel->request);
    g_free(channel);
}
