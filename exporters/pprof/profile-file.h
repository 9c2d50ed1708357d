/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a file in pprof's format (profile.proto): samples with stacks of locations, and the
 * functions and texts of these locations. Writes each sample when it is added. */
#ifndef STROBE_PPROF_PROFILE_FILE_H
#define STROBE_PPROF_PROFILE_FILE_H

#include <glib.h>
#include <strobe/exporter.h>

#define PROFILE_VALUES_MAX 4

/* The type and the unit of a sample's value, for example "cpu" and "nanoseconds". */
typedef struct ProfileValue {
    const char *type, *unit;
} ProfileValue;

typedef struct ProfileFile ProfileFile;

/* `option` is the name of the option that contains the file's name. `values` ends with an entry
 * without a type; pprof shows the last value by default. The file is created with the first
 * sample. */
ProfileFile *profile_file_new(const StrobeConsumerHost *host, StrobeInstance *self,
                              const char *option, const ProfileValue *values);
/* Frees the profile. Removes the file if it was not finished. */
void profile_file_free(ProfileFile *file);

/* Adds a sample with the call path `frames`, the innermost frame first. `thread` 0: no thread.
 * Returns 0 or an errno value. */
int profile_file_add(ProfileFile *file, const StrobeStringId *frames, gsize n_frames,
                     StrobeStringId thread, const gint64 *values);

/* Writes the rest of the file and gives the file its name. If there are no samples, makes no file.
 * Returns 0 or an errno value. */
int profile_file_finish(ProfileFile *file);

#endif
