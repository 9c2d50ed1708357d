/* SPDX-License-Identifier: Apache-2.0 */
#include "board-properties.h"

#include <string.h>

#include "remote-flow.h"
#include "remote-error.h"

#define ANSWER_MAX 16384

/* A shell script that prints lines "key value". It finds the C library by the name of the dynamic
 * loader. */
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
    "echo perf $(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null)\n"
    "echo bits $(getconf LONG_BIT 2>/dev/null)\n"
    "for f in /lib /usr/lib /usr/local/lib /lib64 /usr/lib64; do\n"
    "    [ ! -e $f/libsvp_acl.so ] || echo runtime $f; done\n"
    "for c in cat chmod df grep head ls mkdir mv rm sed setsid sleep tail tr wc; do\n"
    "    command -v $c >/dev/null || echo lacks $c; done\n"
    "if command -v cksum >/dev/null; then echo sum cksum\n"
    "elif command -v md5sum >/dev/null; then echo sum md5sum\n"
    "else echo lacks cksum; fi\n"
    "exit 0\n";

static char *copy_text(const char *value)
{
    return strobe_remote_excerpt(value, strlen(value));
}

static void add_lack(StrobeBoardProperties *properties, const char *value)
{
    g_autofree char *before = properties->lacks;
    g_autofree char *command = copy_text(value);

    properties->lacks = before ? g_strconcat(before, ", ", command, NULL) : g_strdup(command);
}

static void take_property(StrobeBoardProperties *properties, const char *key, const char *value)
{
    if (strcmp(key, "machine") == 0 && !properties->machine)
        properties->machine = copy_text(value);
    else if (strcmp(key, "kernel") == 0 && !properties->kernel)
        properties->kernel = copy_text(value);
    else if (strcmp(key, "user") == 0 && !properties->user)
        properties->user = copy_text(value);
    else if (strcmp(key, "libc") == 0 && !properties->libc)
        properties->libc = copy_text(value);
    else if (strcmp(key, "perf") == 0 && !properties->perf)
        properties->perf = copy_text(value);
    else if (strcmp(key, "free") == 0)
        properties->free_bytes = g_ascii_strtoull(value, NULL, 10) << 10;
    else if (strcmp(key, "bits") == 0)
        properties->word_bits = (guint)g_ascii_strtoull(value, NULL, 10);
    else if (strcmp(key, "lacks") == 0)
        add_lack(properties, value);
    else if (strcmp(key, "runtime") == 0)
        properties->has_runtime = TRUE;
    else if (strcmp(key, "date") == 0)
        properties->date_skew_ns =
            g_ascii_strtoll(value, NULL, 10) * 1000000000 - g_get_real_time() * 1000;
}

static void fill_gaps(StrobeBoardProperties *properties)
{
    char **const texts[] = {&properties->machine, &properties->kernel, &properties->libc,
                            &properties->user, &properties->perf};

    for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
        if (!*texts[i])
            *texts[i] = g_strdup("");
}

gboolean strobe_board_properties_read(StrobeRemote *remote, StrobeBoardProperties *properties,
                                      GError **error)
{
    g_autofree char *folder = g_shell_quote(remote->folder);
    g_autofree char *command = g_strdup_printf(questions, folder);
    g_autoptr(GString) answer = g_string_new(NULL);

    memset(properties, 0, sizeof *properties);
    if (!strobe_flow_text(remote, "cannot read the board's properties", command, NULL, answer,
                          ANSWER_MAX, error))
        return FALSE;
    g_auto(GStrv) lines = g_strsplit(answer->str, "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        char *value = strchr(lines[i], ' ');

        if (value)
            *value++ = '\0';
        if (value && strcmp(lines[i], "sum") == 0)
            remote->sum = strcmp(value, "md5sum") == 0 ? STROBE_SUM_MD5 : STROBE_SUM_CKSUM;
        else if (value && *value)
            take_property(properties, lines[i], value);
    }
    fill_gaps(properties);
    return TRUE;
}

void strobe_board_properties_clear(StrobeBoardProperties *properties)
{
    g_free(properties->machine);
    g_free(properties->kernel);
    g_free(properties->libc);
    g_free(properties->user);
    g_free(properties->perf);
    g_free(properties->lacks);
    memset(properties, 0, sizeof *properties);
}
