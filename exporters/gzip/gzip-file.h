/* SPDX-License-Identifier: Apache-2.0 */
/* Compression of text outputs: every exporter of text has this option, and creates its file
 * here. */
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

/* Like strobe_safe_file_create. Compresses while writing if `gzip` is set or the name requests
 * it; the name then ends in ".gz". */
StrobeSafeFile *gzip_file_create(int directory, const char *name, gboolean gzip);

#endif
