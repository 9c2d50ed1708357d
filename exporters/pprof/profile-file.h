/* SPDX-License-Identifier: Apache-2.0 */
/* One file in the form of pprof (profile.proto): samples with stacks of locations, their functions
 * and texts. Samples are written immediately. */
#ifndef STROBE_PPROF_PROFILE_FILE_H
#define STROBE_PPROF_PROFILE_FILE_H

#include <glib.h>
#include <strobe/exporter.h>

#define PROFILE_VALUES_MAX 4

/* Type and unit of a sample's value, such as "cpu" in "nanoseconds". */
typedef struct ProfileValue {
    const char *type, *unit;
} ProfileValue;

typedef struct ProfileFile ProfileFile;

/* `values` ends with an entry without a type; pprof shows the last value by default. The file is
 * named by the option `option`, and made with the first sample. */
ProfileFile *profile_file_new(const StrobeConsumerHost *host, StrobeInstance *self,
                              const char *option, const ProfileValue *values);
/* Removes the file if it was not finished. */
void profile_file_free(ProfileFile *file);

/* Adds a sample; `frames` are innermost first; `thread` 0: no thread. Returns 0 or an errno
 * value. */
int profile_file_add(ProfileFile *file, const StrobeStringId *frames, gsize n_frames,
                     StrobeStringId thread, const gint64 *values);

/* Writes the rest and puts the file into place; writes no file if there was no sample. Returns 0 or
 * an errno value. */
int profile_file_finish(ProfileFile *file);

#endif
