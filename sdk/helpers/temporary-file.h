/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a folder that have no name yet, or none at all: what safe-file writes into. Any thread.
 */
#ifndef STROBE_HELPERS_TEMPORARY_FILE_H
#define STROBE_HELPERS_TEMPORARY_FILE_H

#define TEMPORARY_FILE_NAME 256 /* bytes that a file's name takes at most, NUL included */

/* Is it a plain name of a file that is to be? Returns 0, or -1 with errno set. */
int strobe_temporary_file_check_name(const char *name);

/* A file of a name that was not there, which is put into `name` (TEMPORARY_FILE_NAME bytes); a
 * symbolic link of that name counts as there. Its descriptor; -1 with errno set, and no name. */
int strobe_temporary_file_create(int directory, char *name);

/* A file without a name: gone when its descriptor is closed. -1 with errno set. */
int strobe_temporary_file_nameless(int directory);

#endif
