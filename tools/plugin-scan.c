/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin-scan.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin-describe.h"
#include "registry.h"

#define LOOK_TIME_US (5 * G_USEC_PER_SEC)
#define ANSWER_MAX (1024 * 1024)

static int write_pipe(void *user, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(GPOINTER_TO_INT(user), bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return EIO;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

/* In the child: loads the one file and writes what it declares. */
static void look(StrobeRegistry *registry, const char *path, int answer)
{
    const struct rlimit no_core = {0, 0};
    StrobeJsonWriter json;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    /* What a plugin prints while it is loaded is not part of our output. */
    for (int number = 0; null >= 0 && number <= STDERR_FILENO; number++)
        dup2(null, number);
    setrlimit(RLIMIT_CORE, &no_core);
    const StrobePluginFile *file = strobe_registry_load(registry, path);
    strobe_json_init(&json, write_pipe, GINT_TO_POINTER(answer), 0);
    strobe_json_begin_object(&json);
    if (file->plugin) {
        strobe_plugin_describe(&json, file->plugin);
    } else {
        strobe_json_key(&json, "error");
        strobe_json_string(&json, file->error ? file->error : "it was not loaded");
    }
    strobe_json_end_object(&json);
    _exit(strobe_json_flush(&json) == 0 ? 0 : 1);
}

/* Reads until the other end closes or the time is over. */
static gboolean read_answer(int pipe, GString *text)
{
    gint64 end_us = g_get_monotonic_time() + LOOK_TIME_US;
    char buffer[8192];

    while (text->len < ANSWER_MAX) {
        gint64 left_us = end_us - g_get_monotonic_time();
        struct pollfd event = {.fd = pipe, .events = POLLIN};
        if (left_us <= 0)
            return FALSE;
        int ready = poll(&event, 1, (int)(left_us / 1000) + 1);
        ssize_t got = ready > 0 ? read(pipe, buffer, sizeof buffer) : -1;
        if (ready > 0 && got == 0)
            return TRUE;
        if (got > 0)
            g_string_append_len(text, buffer, got);
        else if (ready > 0 && errno != EINTR)
            return TRUE;
    }
    return TRUE;
}

/* Waits for the child, whose pipe is closed; a destructor may hang it even then. */
static void end_child(pid_t child, gboolean kill_now, int *status)
{
    gint64 end_us = g_get_monotonic_time() + G_USEC_PER_SEC;

    if (kill_now)
        kill(child, SIGKILL);
    while (waitpid(child, status, kill_now ? 0 : WNOHANG) == 0) {
        if (g_get_monotonic_time() > end_us) {
            kill(child, SIGKILL);
            kill_now = TRUE;
        } else {
            g_usleep(1000);
        }
    }
}

static JsonObject *refused(char *reason)
{
    JsonObject *object = json_object_new();

    json_object_set_string_member(object, "error", reason);
    g_free(reason);
    return object;
}

static JsonObject *parse_answer(const GString *text, int status)
{
    g_autoptr(JsonParser) parser = json_parser_new();

    if (WIFSIGNALED(status))
        return refused(
            g_strdup_printf("It crashes while it is loaded: %s", g_strsignal(WTERMSIG(status))));
    if (!json_parser_load_from_data(parser, text->str, (gssize)text->len, NULL) ||
        !JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser)))
        return refused(g_strdup("It ended the process that loaded it"));
    return json_object_ref(json_node_get_object(json_parser_get_root(parser)));
}

static JsonObject *look_in_child(StrobeRegistry *registry, const char *path)
{
    int answer[2], status = 0;
    g_autoptr(GString) text = g_string_new(NULL);

    if (pipe2(answer, O_CLOEXEC) != 0)
        return refused(g_strdup_printf("Cannot make a pipe: %s", g_strerror(errno)));
    pid_t child = fork();
    if (child == 0)
        look(registry, path, answer[1]);
    close(answer[1]);
    if (child < 0) {
        close(answer[0]);
        return refused(g_strdup_printf("Cannot make a process: %s", g_strerror(errno)));
    }
    gboolean in_time = read_answer(answer[0], text);
    close(answer[0]);
    end_child(child, !in_time, &status);
    if (!in_time)
        return refused(g_strdup_printf("It does not come back within %d s when it is loaded",
                                       (int)(LOOK_TIME_US / G_USEC_PER_SEC)));
    return parse_answer(text, status);
}

GPtrArray *strobe_plugin_scan(const char *const *extra)
{
    StrobeRegistry *registry = strobe_registry_new(extra);
    GPtrArray *answers = g_ptr_array_new_with_free_func((GDestroyNotify)json_object_unref);
    GPtrArray *files = strobe_registry_list(registry);

    for (guint i = 0; i < files->len; i++) {
        const StrobePluginFile *file = g_ptr_array_index(files, i);
        JsonObject *object = look_in_child(registry, file->path);
        json_object_set_string_member(object, "file", file->path);
        json_object_set_string_member(object, "name", file->name);
        json_object_set_boolean_member(object, "shadowed", file->shadowed);
        g_ptr_array_add(answers, object);
    }
    strobe_registry_free(registry);
    return answers;
}
