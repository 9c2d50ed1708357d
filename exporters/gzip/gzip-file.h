/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses the files of exporters that write text. Each of these exporters has the option `gzip`,
 * and creates its file with gzip_file_create. */
#ifndef STROBE_EXPORTERS_GZIP_FILE_H
#define STROBE_EXPORTERS_GZIP_FILE_H

#include <glib.h>
#include <strobe/helpers/safe-file.h>
#include <strobe/option.h>

#define GZIP_OPTION                                                                                \
    {                                                                                              \
        .struct_size = sizeof(StrobeOption),                                                       \
        .type = STROBE_OPTION_BOOL,                                                                \
        .name = "gzip",                                                                            \
        .default_value = "false",                                                                  \
        .summary = "Compress the file; its name then ends in .gz.",                                \
    }

/* Creates a file like strobe_safe_file_create. If `gzip` is set or the name ends in ".gz", the file
 * is compressed while it is written, and its name ends in ".gz". */
StrobeSafeFile *gzip_file_create(int directory, const char *name, gboolean gzip);

#endif
