/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of a file that may be edited, also in pieces, while Strobe reads it. */
#ifndef STROBE_CORE_FILE_VERSION_H
#define STROBE_CORE_FILE_VERSION_H

#include <stddef.h>
#include <stdint.h>

/* Largest file that is read. */
#define STROBE_FILE_BYTES_MAX (1u << 20)

/* Differs for each version of a file, even within a second. */
typedef struct StrobeFileVersion {
    int64_t mtime_ns, size;
    uint64_t inode;
    uint64_t error; /* errno value if the file cannot be found; then the other members are 0 */
} StrobeFileVersion;

typedef enum StrobeFileChange {
    STROBE_FILE_SAME,
    STROBE_FILE_CHANGED,
    STROBE_FILE_MISSING, /* the file has been removed */
    STROBE_FILE_REFUSED  /* too large, not readable, in a folder that may not be searched, or not
                          * trusted (trusted-file.h) */
} StrobeFileChange;

/* Returns the present version of the file. */
StrobeFileVersion strobe_file_version_of(const char *path);

/* Reads the file if its version differs from `seen`, and stores the version there. If the file
 * changed just now, or changes while it is read, nothing is reported, and a later call reads it
 * again. Unless the result is STROBE_FILE_SAME, *text gets the contents, or the reason why there
 * are none (free() it), and *length its length in bytes. */
StrobeFileChange strobe_file_version_look(const char *path, StrobeFileVersion *seen, char **text,
                                          size_t *length);

#endif
