/* SPDX-License-Identifier: Apache-2.0 */
#include "board-facts.h"

#include <string.h>

#include "remote-flow.h"
#include "remote-error.h"

#define ANSWER_MAX 16384

/* One "key value" a line. The loaders of a C library have known names. */
static const char questions[] =
    "cd %s || exit 73\n"
    "echo machine $(uname -m)\n"
    "echo kernel $(uname -s) $(uname -r)\n"
    "echo user $(id -un)\n"
    "echo date $(date +%%s)\n"
    "echo free $(df -Pk . | { read -r x; read -r a b c d e; echo $d; })\n"
    "for f in /lib/ld-linux* /lib64/ld-linux* /lib/*/ld-linux*; do\n"
    "    [ ! -e \"$f\" ] || { echo libc glibc; break; }; done\n"
    "for f in /lib/ld-musl*; do [ ! -e \"$f\" ] || echo libc musl; done\n"
    "for f in /lib/ld-uClibc*; do [ ! -e \"$f\" ] || echo libc uclibc; done\n"
    "echo bits $(getconf LONG_BIT 2>/dev/null)\n"
    "for f in /lib /usr/lib /usr/local/lib /lib64 /usr/lib64; do\n"
    "    [ ! -e $f/libsvp_acl.so ] || echo runtime $f; done\n"
    "exit 0\n";

static char *copy_text(const char *value)
{
    return strobe_remote_excerpt(value, strlen(value));
}

static void take_fact(StrobeBoardFacts *facts, const char *key, const char *value)
{
    if (strcmp(key, "machine") == 0 && !facts->machine)
        facts->machine = copy_text(value);
    else if (strcmp(key, "kernel") == 0 && !facts->kernel)
        facts->kernel = copy_text(value);
    else if (strcmp(key, "user") == 0 && !facts->user)
        facts->user = copy_text(value);
    else if (strcmp(key, "libc") == 0 && !facts->libc)
        facts->libc = copy_text(value);
    else if (strcmp(key, "free") == 0)
        facts->free_bytes = g_ascii_strtoull(value, NULL, 10) << 10;
    else if (strcmp(key, "bits") == 0)
        facts->word_bits = (guint)g_ascii_strtoull(value, NULL, 10);
    else if (strcmp(key, "runtime") == 0)
        facts->has_runtime = TRUE;
    else if (strcmp(key, "date") == 0)
        facts->date_skew_ns =
            g_ascii_strtoll(value, NULL, 10) * 1000000000 - g_get_real_time() * 1000;
}

static void fill_gaps(StrobeBoardFacts *facts)
{
    char **const texts[] = {&facts->machine, &facts->kernel, &facts->libc, &facts->user};

    for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
        if (!*texts[i])
            *texts[i] = g_strdup("");
}

gboolean strobe_board_facts_read(StrobeRemote *remote, StrobeBoardFacts *facts, GError **error)
{
    g_autofree char *folder = g_shell_quote(remote->folder);
    g_autofree char *command = g_strdup_printf(questions, folder);
    g_autoptr(GString) answer = g_string_new(NULL);

    memset(facts, 0, sizeof *facts);
    if (!strobe_flow_text(remote, "cannot ask the board what it is", command, NULL, answer,
                          ANSWER_MAX, error))
        return FALSE;
    g_auto(GStrv) lines = g_strsplit(answer->str, "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        char *value = strchr(lines[i], ' ');

        if (value)
            *value++ = '\0';
        if (value && *value)
            take_fact(facts, lines[i], value);
    }
    fill_gaps(facts);
    return TRUE;
}

void strobe_board_facts_clear(StrobeBoardFacts *facts)
{
    g_free(facts->machine);
    g_free(facts->kernel);
    g_free(facts->libc);
    g_free(facts->user);
    memset(facts, 0, sizeof *facts);
}
