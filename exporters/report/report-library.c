/* SPDX-License-Identifier: Apache-2.0 */
#include "report-library.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

char *report_file_read(const char *path, gsize *length, char **problem)
{
    struct stat about;
    g_autofree char *text = NULL;
    FILE *file = fopen(path, "re");

    if (!file || fstat(fileno(file), &about) != 0) {
        *problem = g_strdup(g_strerror(errno));
    } else if (!S_ISREG(about.st_mode) || about.st_size > (off_t)REPORT_FILE_MAX) {
        *problem = g_strdup_printf("expected a file of at most %u bytes", REPORT_FILE_MAX);
    } else {
        text = g_malloc((gsize)about.st_size + 1);
        *length = fread(text, 1, (gsize)about.st_size, file);
        text[*length] = '\0';
        if (ferror(file)) {
            *problem = g_strdup(g_strerror(errno));
            g_clear_pointer(&text, g_free);
        }
    }
    if (file)
        fclose(file);
    return g_steal_pointer(&text);
}

gboolean report_script_is_safe(const char *text)
{
    g_autofree char *lower = g_ascii_strdown(text, -1);

    return !strstr(lower, "</script") && !strstr(lower, "<!--");
}
