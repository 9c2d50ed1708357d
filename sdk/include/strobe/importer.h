/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an importer implements and what it may call.
 *
 * An importer turns results that somebody else wrote into records. It is asked whether a source is
 * its own (by content, never by name), and then reads that source from beginning to end, handing
 * finished records to the host in any order. The host makes an ordinary capture of them; nothing
 * behind it knows where they came from. All calls come from one thread; the host takes its own from
 * any, one at a time. An importer keeps bounded state, whatever its source's size: it streams, and
 * what must be joined is kept in the form of keys and places, or in a record log.
 *
 * A source is hostile: damage is reported with place and reason, and the rest is read; what is
 * unknown is kept in a kind of the importer's own and listed. Since ABI 1.0.
 */
#ifndef STROBE_IMPORTER_H
#define STROBE_IMPORTER_H

#include <strobe/collector.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_SOURCE_HEAD 65536u

/* A file or folder that may be one's own. Valid during the call only. */
typedef struct StrobeSource {
    uint32_t struct_size;
    int32_t descriptor;        /* open for reading, position 0; lent */
    const char *path;          /* for messages, and for libraries that insist on a path */
    const unsigned char *head; /* first bytes of a file; of a folder none */
    uint32_t n_head;           /* at most STROBE_SOURCE_HEAD */
    int32_t is_folder;
} StrobeSource;

/* Answer of an importer's probe. The texts are static or owned by the plugin. */
typedef struct StrobeSourceProbe {
    uint32_t struct_size;
    int32_t score;      /* 0: not one's own; 100: certain. The highest of all importers reads it */
    const char *format; /* what it was recognised as, for people; NULL: the importer's name */
    const char *reason; /* why it is not one's own, where it looked so at first; NULL: nothing */
} StrobeSourceProbe;

/* What the user asked for. */
typedef struct StrobeImportRequest {
    uint32_t struct_size;
    int32_t stored_derived; /* 1: what the source derived itself is emitted as the derived kind;
                               0: it is not read at all, passes derive it again */
} StrobeImportRequest;

/* Facts of a source that the rest of Strobe knows, beside any others. Texts: "host", "command",
 * "source_version". Integers: "pid", "rank", "generation" (of the file formats, 1 to 3), "level"
 * (of detail, -1 for none at all), "output_is_free" (1: nothing of ASCEND_PROFILER_OUTPUT was read,
 * so that the source can be analysed in place), "raw_clock_offset_ns" (the source's times of day
 * less CLOCK_MONOTONIC_RAW of its host; told before the first record, it lets a source that belongs
 * to a recorded window be moved onto the recorder's clock). */
typedef struct StrobeImporterHost {
    uint32_t struct_size;
    uint32_t abi_minor;

    const StrobeImportRequest *(*request)(StrobeInstance *self);

    /* Declares a kind and returns its id, the same id for the same declaration; the rules are those
     * of StrobeHost.kind. The declaration must stay valid until import returns. At most 255. */
    StrobeStatus (*kind)(StrobeInstance *self, const StrobeKind *kind, StrobeKindId *id);

    /* Makes (or finds) a track of the process `pid`. `track` is copied; its clock is ignored: all
     * times are ns since the epoch, UTC. 0 when there are too many: records then have no track. */
    StrobeTrackId (*track)(StrobeInstance *self, const StrobeTrack *track, uint64_t pid);

    /* Ids stay valid until import returns. When there are too many, new ones become a text that
     * says so (counted, and reported). */
    StrobeStringId (*intern)(StrobeInstance *self, const char *bytes, size_t length);
    /* `n` string ids, innermost first. */
    StrobeStackId (*stack)(StrobeInstance *self, const StrobeStringId *frames, size_t n);

    /* Adds a record and returns its fields, to be filled in before the next emit. Every field is
     * absent to begin with (STROBE_ABSENT_*, 0 for strings, stacks, tracks, bool and u8). end_ns is
     * ignored for shapes that have none. NULL when there is no room for it: give up.
     * Records of equal times keep their order. */
    void *(*emit)(StrobeInstance *self, StrobeKindId kind, StrobeTrackId track, StrobeStringId name,
                  int64_t begin_ns, int64_t end_ns);

    /* First of `n` consecutive ids that no other importer of this capture has. Ids of the source's
     * own go into STROBE_FIELD_LINK as they are: there is one source to a capture. */
    uint64_t (*link_ids)(StrobeInstance *self, uint32_t n);

    /* Facts about the source; the last value of a key counts. */
    void (*metadata_text)(StrobeInstance *self, const char *key, const char *value);
    void (*metadata_int)(StrobeInstance *self, const char *key, int64_t value);

    /* A file that belongs into the result directory as it is, such as profiler_info_0.json. A name
     * with anything but letters, digits and "._-" is refused. At most 1 MiB. */
    StrobeStatus (*file)(StrobeInstance *self, const char *name, const char *bytes, size_t length);

    /* For the listing: `part` (a file, a table) was read and gave `rows` rows; `name` in `part` (a
     * column, a table, a type of event) is not known and was kept in a kind of its own. A part
     * without rows that damage was reported in was dropped as a whole: the result is incomplete. */
    void (*found)(StrobeInstance *self, const char *part, uint64_t rows);
    void (*unknown)(StrobeInstance *self, const char *part, const char *name, uint64_t rows);

    /* Something could not be read: where (a part, or "part, offset 5", "part, row 4"), and why. */
    void (*damage)(StrobeInstance *self, const char *place, const char *reason);

    void (*progress)(StrobeInstance *self, uint64_t done, uint64_t total);

    /* For what is kept or sorted and may be large: helpers/record-log.h, external-sorter.h. */
    StrobeStorage *(*storage)(StrobeInstance *self);

    int32_t (*option_bool)(StrobeInstance *self, const char *name);
    int64_t (*option_int)(StrobeInstance *self, const char *name);
    double (*option_double)(StrobeInstance *self, const char *name);
    const char *(*option_text)(StrobeInstance *self, const char *name);

    void (*log)(StrobeInstance *self, int32_t level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    StrobeStatus (*fail)(StrobeInstance *self, StrobeStatus status, const char *file, int32_t line,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));

    /* Says anew what a track is: some sources name a thread behind its records. */
    StrobeStatus (*retrack)(StrobeInstance *self, StrobeTrackId id, const StrobeTrack *track,
                            uint64_t pid);
    /* Times that are emitted, before and after, count from this moment (ns since the epoch): some
     * sources tell it last. 0 to begin with. An error if the last record would be out of range. */
    StrobeStatus (*time_base)(StrobeInstance *self, int64_t base_ns);
    /* Adds all that a capture of Strobe's holds which is a part of the source: `descriptor` (lent)
     * is its file. If its program was killed, the rest of its pool is put into the file first, by
     * its owner. Kinds, tracks, texts and ids of links are taken as they are; times become
     * CLOCK_MONOTONIC of the host that recorded: time_base can give its time of day. Its damage and
     * a missing end are reported as those of `part`. `n` (may be NULL): its number of records. An
     * error, whose reason is passed to `fail`, if it is no capture. */
    StrobeStatus (*capture)(StrobeInstance *self, const char *part, int32_t descriptor,
                            uint64_t *n);
    /* end of base ABI 1.0 */
} StrobeImporterHost;

typedef struct StrobeImporterOps {
    uint32_t struct_size;
    uint32_t reserved;

    /* Required. Is the source one's own? Reads as little as it can. No host. */
    void (*probe)(const StrobeSource *source, StrobeSourceProbe *answer);

    /* Required. Reads the whole source. A failure is for what leaves nothing to read; damage and
     * unknown parts are no failure. Nothing of the importer's may stay behind. */
    StrobeStatus (*import)(const StrobeImporterHost *host, StrobeInstance *self,
                           const StrobeSource *source);

    /* Optional. The source is a folder that a collector had made in a result, and the result is
     * being analysed: runs the vendor's tool on it, where that is what makes it readable, and keeps
     * what the tool prints in a file in the folder `logs` (a descriptor, lent; -1: nowhere).
     * STROBE_OK too where the source is another's or nothing is to be done; else `fail` has said
     * why. Of the host the options, log and fail only. Not called for a plain import. */
    StrobeStatus (*prepare)(const StrobeImporterHost *host, StrobeInstance *self,
                            const StrobeSource *source, int32_t logs);
    /* end of base ABI 1.0 */
} StrobeImporterOps;

#if defined(__cplusplus)
}
#endif

#endif
