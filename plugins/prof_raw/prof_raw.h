/* SPDX-License-Identifier: Apache-2.0 */
/* State of one run of the importer, and the functions that its parts share. */
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
    GHashTable *kinds; /* address of a StrobeKind -> its id */
    SideJson *info;    /* info.json of the present folder; NULL: there is none */
    SideJson *sample;  /* sample.json of the present folder; NULL: there is none */
    guint64 pid;       /* pid of the profiled process; 0: not reported */
    gint device;       /* device of the present folder; -1: the host */
    /* ns since the epoch minus ns of the present folder's clock */
    gint64 offset;
    gint64 begin;     /* begin of the collection, ns since the epoch */
    const char *part; /* the present file, for messages */
    guint64 n_rows, n_strange, n_dropped;
    gboolean is_full;
} Prof;

#define PROF_RAW_KINDS 7
extern const StrobeKind *const prof_raw_kinds[PROF_RAW_KINDS];
extern const StrobeImporterOps prof_raw_ops;

/* Makes CANN's tool export the source, so that an importer can read it; see
 * StrobeImporterOps.prepare. */
StrobeStatus prof_raw_prepare(const StrobeImporterHost *host, StrobeInstance *self,
                              const StrobeSource *source, int32_t logs);

/* Emits a record and counts the row. Returns the record's fields; NULL: the capture has no room. */
void *prof_emit(Prof *prof, const StrobeKind *kind, StrobeTrackId track, const char *name,
                gint64 begin_ns, gint64 end_ns);
StrobeTrackId prof_counter(Prof *prof, const char *group);
/* Converts ns of the folder's clock to ns since the epoch. The result is never negative. */
gint64 prof_time(const Prof *prof, guint64 ns);

/* Splits a line at blanks and colons into at most WORDS_MAX words. Returns the number of words. */
guint prof_words(char *line, char **words);
gboolean prof_whole(const char *word, guint64 *value);
gboolean prof_real(const char *word, double *value);

/* Each function reads one file. */
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
