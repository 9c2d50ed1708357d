/* SPDX-License-Identifier: Apache-2.0 */
/* One file in the form of pprof (profile.proto): samples with stacks of locations, their functions
 * and texts. Samples are written as they come. */
#ifndef STROBE_PPROF_PROFILE_FILE_H
#define STROBE_PPROF_PROFILE_FILE_H

#include <glib.h>
#include <strobe/exporter.h>

#define PROFILE_VALUES_MAX 4

/* What a value of each sample is: "cpu" in "nanoseconds". */
typedef struct ProfileValue {
    const char *type, *unit;
} ProfileValue;

typedef struct ProfileFile ProfileFile;

/* Values up to one without a type; the last one is what is shown first. The file is named by the
 * option `option`, and made with the first sample. */
ProfileFile *profile_file_new(const StrobeConsumerHost *host, StrobeInstance *self,
                              const char *option, const ProfileValue *values);
/* Leaves no file if it was not finished. */
void profile_file_free(ProfileFile *file);

/* `frames` innermost first; `thread` 0: of none. Returns 0 or an errno value. */
int profile_file_add(ProfileFile *file, const StrobeStringId *frames, gsize n_frames,
                     StrobeStringId thread, const gint64 *values);

/* Writes the rest and puts the file into place; without a sample there is none. Returns 0 or an
 * errno value. */
int profile_file_finish(ProfileFile *file);

#endif
