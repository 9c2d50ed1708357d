/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <unistd.h>

#include "remote-error.h"
#include "ssh-link.h"

#define PASSWORD_MAX 1024
#define PROMPTS_MAX 8

typedef struct Attempt {
    StrobeLink *link;
    SshWait *wait;
    GString *tried;   /* names of the tried methods, for the error's message */
    int offered;      /* methods that the board offers (SSH_AUTH_METHOD_*) */
    gboolean is_over; /* the board did not answer in time, or the user interrupted */
} Attempt;

/* Repeats a call until the board has answered it. */
#define REPEAT(attempt, code, call)                                                                \
    do {                                                                                           \
        (code) = (call);                                                                           \
    } while ((code) == SSH_AUTH_AGAIN && continue_attempt(attempt))

static gboolean continue_attempt(Attempt *attempt)
{
    attempt->is_over = !strobe_ssh_wait_more(attempt->wait);
    return !attempt->is_over;
}

static void note_method(Attempt *attempt, const char *method)
{
    g_string_append_printf(attempt->tried, "%s%s", attempt->tried->len ? ", " : "", method);
}

/* ---- keys ---- */

static gboolean try_identity(Attempt *attempt)
{
    const char *path = attempt->link->target->identity;
    ssh_key key = NULL;
    int code = SSH_AUTH_DENIED;

    if (!path || !(attempt->offered & SSH_AUTH_METHOD_PUBLICKEY))
        return FALSE;
    g_autofree char *method = g_strdup_printf("key %s", path);
    if (ssh_pki_import_privkey_file(path, NULL, NULL, NULL, &key) != SSH_OK) {
        g_autofree char *unread = g_strdup_printf("key %s (cannot be read)", path);
        note_method(attempt, unread);
        return FALSE;
    }
    note_method(attempt, method);
    REPEAT(attempt, code, ssh_userauth_publickey(attempt->link->session, NULL, key));
    ssh_key_free(key);
    return code == SSH_AUTH_SUCCESS;
}

/* Tries the keys of the agent, and then ~/.ssh/id_*. Returns whether one was accepted. */
static gboolean try_user_keys(Attempt *attempt)
{
    int code;

    if (!(attempt->offered & SSH_AUTH_METHOD_PUBLICKEY))
        return FALSE;
    note_method(attempt, "agent and default keys");
    REPEAT(attempt, code, ssh_userauth_publickey_auto(attempt->link->session, NULL, NULL));
    return code == SSH_AUTH_SUCCESS;
}

/* ---- passwords ---- */

static gboolean try_password(Attempt *attempt)
{
    const char *password = attempt->link->target->password;
    int code;

    if (!password || !*password || !(attempt->offered & SSH_AUTH_METHOD_PASSWORD))
        return FALSE;
    note_method(attempt, "password");
    REPEAT(attempt, code, ssh_userauth_password(attempt->link->session, NULL, password));
    return code == SSH_AUTH_SUCCESS;
}

/* Answers the board's prompts with the password or, if there is none, with input from the terminal
 * without echo. */
static gboolean answer_prompts(Attempt *attempt)
{
    const char *password = attempt->link->target->password;
    const int n = MIN(ssh_userauth_kbdint_getnprompts(attempt->link->session), PROMPTS_MAX);
    const gint64 begin_us = g_get_monotonic_time();
    char answer[PASSWORD_MAX] = "";
    gboolean good = TRUE;

    for (int i = 0; good && i < n; i++) {
        if (password && *password)
            g_strlcpy(answer, password, sizeof answer);
        else
            good =
                isatty(STDIN_FILENO) && ssh_getpass("Password: ", answer, sizeof answer, 0, 0) == 0;
        if (good)
            ssh_userauth_kbdint_setanswer(attempt->link->session, (unsigned)i, answer);
        explicit_bzero(answer, sizeof answer);
    }
    /* The time in which the user types does not count against the deadline. */
    attempt->wait->end_us += g_get_monotonic_time() - begin_us;
    return good;
}

static gboolean try_prompts(Attempt *attempt)
{
    const char *password = attempt->link->target->password;
    int code;

    if (!(attempt->offered & SSH_AUTH_METHOD_INTERACTIVE) ||
        (!(password && *password) && !isatty(STDIN_FILENO)))
        return FALSE;
    note_method(attempt, "keyboard-interactive");
    for (int round = 0; round < PROMPTS_MAX; round++) {
        REPEAT(attempt, code, ssh_userauth_kbdint(attempt->link->session, NULL, NULL));
        if (code != SSH_AUTH_INFO || !answer_prompts(attempt))
            return code == SSH_AUTH_SUCCESS;
    }
    return FALSE;
}

/* ---- the order ---- */

static gboolean try_methods(Attempt *attempt)
{
    static gboolean (*const methods[])(Attempt *attempt) = {try_identity, try_user_keys,
                                                            try_password, try_prompts};

    for (guint i = 0; i < G_N_ELEMENTS(methods) && !attempt->is_over; i++)
        if (methods[i](attempt))
            return TRUE;
    return FALSE;
}

static gboolean refuse_attempt(const Attempt *attempt, GError **error)
{
    if (attempt->is_over)
        return strobe_ssh_refuse_wait(attempt->wait, attempt->link->name, "authenticating", error);
    if (!ssh_is_connected(attempt->link->session))
        return strobe_remote_refuse(error,
                                    "%s: the board closed the connection after these methods: %s",
                                    attempt->link->name, attempt->tried->str);
    return strobe_remote_refuse(error, "%s: the board refused each method: %s", attempt->link->name,
                                attempt->tried->len ? attempt->tried->str : "none was possible");
}

gboolean strobe_ssh_authenticate(StrobeLink *link, SshWait *wait, GError **error)
{
    Attempt attempt = {.link = link, .wait = wait, .tried = g_string_new(NULL)};
    gboolean good;
    int code;

    REPEAT(&attempt, code, ssh_userauth_none(link->session, NULL));
    attempt.offered = ssh_userauth_list(link->session, NULL);
    good = code == SSH_AUTH_SUCCESS || try_methods(&attempt) || refuse_attempt(&attempt, error);
    g_string_free(attempt.tried, TRUE);
    return good;
}
