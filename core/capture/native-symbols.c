/* SPDX-License-Identifier: Apache-2.0 */
#include "native-symbols.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <strobe/helpers/native-frame.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "own-program.h"

#define PROGRAM "strobe-symbols"
#define STARTS_MAX 16 /* maximum number of starts after an object file ended the process */
/* after this many starts without any answer, the program cannot run here */
#define VAIN_STARTS_MAX 2
#define FUNCTIONS_MAX 64
#define TEXT_MAX 65536

struct StrobeNativeSymbols {
    char program[PATH_MAX]; /* path of strobe-symbols; "": not found */
    pid_t pid;
    int socket; /* -1: the process is not running */
    guint n_starts;
    gboolean has_answered;
    GHashTable *bad;       /* paths of objects that ended the process */
    GPtrArray *moved;      /* path on the program's machine, path on this machine, ... */
    gboolean is_elsewhere; /* the program ran on another machine */
    char buffer[8192];
    gsize at, filled;
    GString *text;
};

StrobeNativeSymbols *strobe_native_symbols_new(const char *program)
{
    StrobeNativeSymbols *symbols = g_new0(StrobeNativeSymbols, 1);

    symbols->socket = -1;
    if (program)
        g_strlcpy(symbols->program, program, sizeof symbols->program);
    else if (strobe_find_own_program(PROGRAM, symbols->program) != 0)
        symbols->program[0] = 0;
    symbols->bad = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    symbols->moved = g_ptr_array_new_with_free_func(g_free);
    symbols->text = g_string_new(NULL);
    return symbols;
}

void strobe_native_symbols_set_elsewhere(StrobeNativeSymbols *symbols)
{
    symbols->is_elsewhere = TRUE;
}

void strobe_native_symbols_move(StrobeNativeSymbols *symbols, const char *from, const char *to)
{
    strobe_native_symbols_set_elsewhere(symbols);
    g_ptr_array_add(symbols->moved, g_strdup(from));
    g_ptr_array_add(symbols->moved, g_strdup(to));
}

/* ---- the process ---- */

static void stop_program(StrobeNativeSymbols *symbols)
{
    if (symbols->socket < 0)
        return;
    close(symbols->socket);
    kill(symbols->pid, SIGKILL);
    while (waitpid(symbols->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    symbols->socket = -1;
}

void strobe_native_symbols_free(StrobeNativeSymbols *symbols)
{
    if (!symbols)
        return;
    stop_program(symbols);
    g_hash_table_unref(symbols->bad);
    g_ptr_array_unref(symbols->moved);
    g_string_free(symbols->text, TRUE);
    g_free(symbols);
}

/* Starts strobe-symbols. Its standard streams are the socket, its signals have the default actions,
 * and it gets no environment variables that could change its behaviour. */
static gboolean spawn_program(StrobeNativeSymbols *symbols, int theirs)
{
    char *arguments[] = {symbols->program, NULL}, *environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, theirs, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int error =
        posix_spawn(&symbols->pid, symbols->program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0;
}

static gboolean start_program(StrobeNativeSymbols *symbols)
{
    int ends[2];

    if (symbols->socket >= 0)
        return TRUE;
    if (!symbols->program[0] ||
        symbols->n_starts++ >= (symbols->has_answered ? STARTS_MAX : VAIN_STARTS_MAX) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return FALSE;
    symbols->at = symbols->filled = 0;
    if (spawn_program(symbols, ends[1]))
        symbols->socket = ends[0];
    else
        close(ends[0]);
    close(ends[1]);
    return symbols->socket >= 0;
}

/* ---- questions and answers ---- */

static gboolean send_text(const StrobeNativeSymbols *symbols, const char *text)
{
    gsize length = strlen(text) + 1;

    while (length > 0) {
        ssize_t n = send(symbols->socket, text, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return FALSE;
        text += n;
        length -= (gsize)n;
    }
    return TRUE;
}

/* Reads up to the next NUL; the text is valid until the next call. NULL: the process has ended. */
static const char *receive_text(StrobeNativeSymbols *symbols)
{
    g_string_truncate(symbols->text, 0);
    while (symbols->text->len < TEXT_MAX) {
        if (symbols->at == symbols->filled) {
            ssize_t n = recv(symbols->socket, symbols->buffer, sizeof symbols->buffer, 0);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                return NULL;
            symbols->at = 0;
            symbols->filled = (gsize)n;
        }
        char byte = symbols->buffer[symbols->at++];
        if (!byte)
            return symbols->text->str;
        g_string_append_c(symbols->text, byte);
    }
    return NULL;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

/* Reads one function of an answer and adds it to `functions`. FALSE: the answer ends too early. */
static gboolean receive_function(StrobeNativeSymbols *symbols, const char *object,
                                 GPtrArray *functions)
{
    const char *text = receive_text(symbols);
    GString *function = g_string_new(NULL);

    if (text && *text == '+') /* a function without a name has the address of its begin instead */
        g_string_append_printf(function, "%s%s", object, text);
    else
        g_string_append_printf(function, "%s (%s)", text && *text ? text : "?", object);
    const char *file = text ? receive_text(symbols) : NULL;
    if (file && *file)
        g_string_append_printf(function, " %s", file);
    gboolean has_file = file && *file;
    const char *line = file ? receive_text(symbols) : NULL;
    if (line && has_file)
        g_string_append_printf(function, ":%s", line);
    g_ptr_array_add(functions, g_string_free(function, FALSE));
    return line != NULL;
}

/* Sends a frame and reads the functions of the answer. FALSE: the process has ended, or its answer
 * is invalid. */
static gboolean request_functions(StrobeNativeSymbols *symbols, const char *frame,
                                  const char *object, GPtrArray *functions)
{
    const char *text = send_text(symbols, frame) ? receive_text(symbols) : NULL;
    guint64 n = text ? g_ascii_strtoull(text, NULL, 10) : 0;

    if (!text || n > FUNCTIONS_MAX)
        return FALSE;
    for (guint64 i = 0; i < n; i++)
        if (!receive_function(symbols, object, functions))
            return FALSE;
    symbols->has_answered = TRUE;
    return TRUE;
}

/* Is `path` at or below `folder`? */
static gboolean is_below(const char *path, const char *folder)
{
    const gsize length = strlen(folder);

    return strncmp(path, folder, length) == 0 && (!path[length] || path[length] == '/');
}

/* Returns the frame with the path of its object on this machine (free it). NULL: the object is on
 * another machine and has no build-id, so that no file here can be compared with it. */
static char *find_here(const StrobeNativeSymbols *symbols, const char *text,
                       const StrobeNativeFrame *frame, const char *path)
{
    for (guint i = 0; i + 1 < symbols->moved->len; i += 2) {
        const char *from = g_ptr_array_index(symbols->moved, i);
        if (is_below(path, from))
            return g_strconcat(g_ptr_array_index(symbols->moved, i + 1), text + strlen(from), NULL);
    }
    return symbols->is_elsewhere && frame->build_id.size == 0 ? NULL : g_strdup(text);
}

char **strobe_native_symbols_resolve(StrobeNativeSymbols *symbols, const char *text)
{
    StrobeNativeFrame frame;

    if (!strobe_native_frame_read(text, strlen(text), &frame))
        return NULL;
    g_autofree char *path = g_strndup(frame.path, frame.path_length);
    const char *object = last_part(path);
    g_autofree char *here = find_here(symbols, text, &frame, path);
    GPtrArray *functions = g_ptr_array_new_with_free_func(g_free);
    if (here && !g_hash_table_contains(symbols->bad, path) && start_program(symbols) &&
        !request_functions(symbols, here, object, functions)) {
        stop_program(symbols);
        g_hash_table_add(symbols->bad, g_strdup(path));
        g_ptr_array_set_size(functions, 0);
    }
    if (functions->len == 0)
        g_ptr_array_add(functions,
                        g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", object, frame.address));
    g_ptr_array_add(functions, NULL);
    return (char **)g_ptr_array_free(functions, FALSE);
}
