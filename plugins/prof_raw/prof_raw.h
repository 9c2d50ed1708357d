/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the importer, shared by its parts. */
#ifndef STROBE_PROF_RAW_H
#define STROBE_PROF_RAW_H

#include <glib.h>
#include <strobe/importer.h>
#include <strobe/kinds.h>

#include <side-json.h>
#include "slices.h"

#define WORDS_MAX 64u

typedef struct Prof {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    GHashTable *kinds; /* StrobeKind by address to its id */
    SideJson *info;    /* info.json of the folder under way, NULL: none */
    SideJson *sample;  /* sample.json */
    guint64 pid;       /* that was profiled, 0: not told */
    gint device;       /* of the folder under way, -1: the host */
    gint64 offset;     /* from its clock to the epoch */
    gint64 begin;      /* of the collection, ns since the epoch */
    const char *part;  /* the file under way, for messages */
    guint64 n_rows, n_strange, n_dropped;
    gboolean is_full;
} Prof;

#define PROF_RAW_KINDS 7
extern const StrobeKind *const prof_raw_kinds[PROF_RAW_KINDS];
extern const StrobeImporterOps prof_raw_ops;

/* Has CANN's tool make the source readable; see StrobeImporterOps.prepare. */
StrobeStatus prof_raw_prepare(const StrobeImporterHost *host, StrobeInstance *self,
                              const StrobeSource *source, int32_t logs);

/* Emits, and counts the row; NULL when the capture has no room. */
void *prof_emit(Prof *prof, const StrobeKind *kind, StrobeTrackId track, const char *name,
                gint64 begin_ns, gint64 end_ns);
StrobeTrackId prof_counter(Prof *prof, const char *group);
/* ns of the folder's clock as ns since the epoch, never negative. */
gint64 prof_time(const Prof *prof, guint64 ns);

/* Words of a line, parted by blanks and colons at their ends; at most WORDS_MAX. */
guint prof_words(char *line, char **words);
gboolean prof_whole(const char *word, guint64 *value);
gboolean prof_real(const char *word, double *value);

/* Readers of one file each. */
void hccs_import(Prof *prof, Slices *slices);
void pcie_import(Prof *prof, Slices *slices);
void nic_import(Prof *prof, Slices *slices);
void roce_import(Prof *prof, Slices *slices);
void l2_cache_import(Prof *prof, Slices *slices);
void host_cpu_import(Prof *prof, Slices *slices);
void host_mem_import(Prof *prof, Slices *slices);
void host_network_import(Prof *prof, Slices *slices);
void host_disk_import(Prof *prof, Slices *slices);
void host_syscall_import(Prof *prof, Slices *slices);
void host_pthreadcall_import(Prof *prof, Slices *slices);

#endif
