/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that an importer implements, and the host functions that it may call.
 *
 * An importer converts results of another profiler to records. Its probe decides from the
 * content, never from the name, whether it can read a source. Then it reads the source from
 * beginning to end and emits finished records in any order. The host writes them into an
 * ordinary capture; later stages do not distinguish it from a recorded one. All calls come from
 * one thread. The importer may call the host from any thread, but only one call at a time. An
 * importer's state must be bounded for any size of the source: it reads a stream, and for joins
 * it keeps keys and offsets, or a record log.
 *
 * A source may be hostile. The importer reports damage with place and reason and reads the rest. It
 * emits data that it does not know as records of a separate kind, and reports it (see unknown).
 * Since ABI 1.0.
 */
#ifndef STROBE_IMPORTER_H
#define STROBE_IMPORTER_H

#include <strobe/collector.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_SOURCE_HEAD 65536u

/* A file or folder that the importer may be able to read. Valid only during the call. */
typedef struct StrobeSource {
    uint32_t struct_size;
    int32_t descriptor;        /* open for reading, position 0; lent */
    const char *path;          /* for messages, and for libraries that need a path */
    const unsigned char *head; /* first bytes of a file; NULL for a folder */
    uint32_t n_head;           /* at most STROBE_SOURCE_HEAD */
    int32_t is_folder;
} StrobeSource;

/* Result of an importer's probe. The texts are static or owned by the plugin. */
typedef struct StrobeSourceProbe {
    uint32_t struct_size;
    int32_t score;      /* 0: cannot read it; 100: certain. The importer with the highest score
                         * reads the source */
    const char *format; /* name of the recognised format, for messages; NULL: the importer's name */
    const char *reason; /* why the importer cannot read a source whose format it recognised; NULL:
                         * it can, or it did not recognise the format */
} StrobeSourceProbe;

/* The user's choices. */
typedef struct StrobeImportRequest {
    uint32_t struct_size;
    int32_t stored_derived; /* 1: emit the source's own derived results as derived kinds; 0: do
                               not read them, passes derive them again */
} StrobeImportRequest;

/* Metadata keys of a source that Strobe interprets; any other key is allowed. Texts: "host",
 * "command", "source_version". Integers: "pid", "rank", "generation" (of the file formats, 1 to
 * 3), "level" (of detail, -1 for none at all), "output_is_free" (1: nothing was read from
 * ASCEND_PROFILER_OUTPUT, so the source can be analysed in place), "raw_clock_offset_ns" (the
 * source's time of day minus CLOCK_MONOTONIC_RAW of its host). If "raw_clock_offset_ns" is set
 * before the first record, the host can convert a source in a recorded window to the recorder's
 * clock. */
typedef struct StrobeImporterHost {
    uint32_t struct_size;
    uint32_t abi_minor;

    const StrobeImportRequest *(*request)(StrobeInstance *self);

    /* Declares a kind and returns its id, like StrobeHost.kind. The declaration must stay valid
     * until import returns. At most 255 kinds. */
    StrobeStatus (*kind)(StrobeInstance *self, const StrobeKind *kind, StrobeKindId *id);

    /* Makes a track of the process `pid`, or finds an equal one. `track` is copied; its clock is
     * ignored: all times are ns since the epoch, UTC. Returns 0 if there are too many tracks: the
     * records then have no track. */
    StrobeTrackId (*track)(StrobeInstance *self, const StrobeTrack *track, uint64_t pid);

    /* Returns the id of a text, which stays valid until import returns. If there are too many
     * texts, each further text is replaced by a fixed text; the host counts and reports this. */
    StrobeStringId (*intern)(StrobeInstance *self, const char *bytes, size_t length);
    /* Returns the id of the stack of `n` string ids, innermost first. */
    StrobeStackId (*stack)(StrobeInstance *self, const StrobeStringId *frames, size_t n);

    /* Adds a record and returns its fields, which must be filled before the next emit. At first
     * every field is absent (STROBE_ABSENT_*, 0 for strings, stacks, tracks, bool and u8). end_ns
     * is ignored for shapes without an end. NULL: out of space; import must fail. Records with
     * equal times keep their order. */
    void *(*emit)(StrobeInstance *self, StrobeKindId kind, StrobeTrackId track, StrobeStringId name,
                  int64_t begin_ns, int64_t end_ns);

    /* Returns the first of `n` consecutive ids that are unique in this capture. Copy the source's
     * own ids into STROBE_FIELD_LINK unchanged: a capture has only one source. */
    uint64_t (*link_ids)(StrobeInstance *self, uint32_t n);

    /* Sets metadata of the source; the last value of a key is kept. */
    void (*metadata_text)(StrobeInstance *self, const char *key, const char *value);
    void (*metadata_int)(StrobeInstance *self, const char *key, int64_t value);

    /* Adds a file to the result directory unchanged, such as profiler_info_0.json. The name may
     * contain only letters, digits and "._-". At most 1 MiB. */
    StrobeStatus (*file)(StrobeInstance *self, const char *name, const char *bytes, size_t length);

    /* Both calls fill the list of the source's parts. found: `part` (a file, a table) was read and
     * gave `rows` rows. unknown: `name` in `part` (a column, a table, a type of event) is unknown,
     * and its `rows` rows became records of a separate kind. If damage was reported in a part
     * without rows, the whole part was dropped and the result is incomplete. */
    void (*found)(StrobeInstance *self, const char *part, uint64_t rows);
    void (*unknown)(StrobeInstance *self, const char *part, const char *name, uint64_t rows);

    /* Reports unreadable data: its place (a part, or "part, offset 5", "part, row 4") and the
     * reason. */
    void (*damage)(StrobeInstance *self, const char *place, const char *reason);

    void (*progress)(StrobeInstance *self, uint64_t done, uint64_t total);

    /* Returns the storage to pass to record logs and external sorters (helpers/record-log.h,
     * external-sorter.h). */
    StrobeStorage *(*storage)(StrobeInstance *self);

    int32_t (*option_bool)(StrobeInstance *self, const char *name);
    int64_t (*option_int)(StrobeInstance *self, const char *name);
    double (*option_double)(StrobeInstance *self, const char *name);
    const char *(*option_text)(StrobeInstance *self, const char *name);

    void (*log)(StrobeInstance *self, int32_t level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    StrobeStatus (*fail)(StrobeInstance *self, StrobeStatus status, const char *file, int32_t line,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));

    /* Changes the description of a track, for sources that name a thread after its records. */
    StrobeStatus (*retrack)(StrobeInstance *self, StrobeTrackId id, const StrobeTrack *track,
                            uint64_t pid);
    /* Sets an offset (ns since the epoch) that is added to all emitted times, including earlier
     * ones, for sources that give it at the end. The default is 0. Fails if the last record would
     * be out of range. */
    StrobeStatus (*time_base)(StrobeInstance *self, int64_t base_ns);
    /* Adds all records of a Strobe capture that is a part of the source; `descriptor` (lent) is its
     * file. If the recorded program was killed and the capture belongs to the user, the rest of its
     * pool is first written to the file. Kinds, tracks, texts and link ids are copied unchanged.
     * Times are CLOCK_MONOTONIC of the recorded host; time_base can add the time of day. Damage,
     * and a missing end, are reported with the place `part`. `n` (may be NULL) receives the number
     * of records. If the file is not a capture, the call returns an error and passes the reason to
     * `fail`. */
    StrobeStatus (*capture)(StrobeInstance *self, const char *part, int32_t descriptor,
                            uint64_t *n);
    /* end of base ABI 1.0 */
} StrobeImporterHost;

typedef struct StrobeImporterOps {
    uint32_t struct_size;
    uint32_t reserved;

    /* Required. Reports whether the importer can read the source. Reads as little as possible, and
     * gets no host. */
    void (*probe)(const StrobeSource *source, StrobeSourceProbe *answer);

    /* Required. Reads the whole source. Fail only if nothing can be read; damage and unknown
     * parts are not failures. The importer must leave no files behind. */
    StrobeStatus (*import)(const StrobeImporterHost *host, StrobeInstance *self,
                           const StrobeSource *source);

    /* Optional. An analysis of a result calls it for each folder that a collector made in the
     * result directory. If only the vendor's tool can decode the folder, prepare runs this tool on
     * it, and writes the tool's output to a file in the folder `logs` (a descriptor, lent; -1: no
     * output). Returns STROBE_OK also if the source is of another format or needs no preparation;
     * on an error the reason was passed to `fail`. Only the host's options, log and fail may be
     * called. Not called in a plain import. */
    StrobeStatus (*prepare)(const StrobeImporterHost *host, StrobeInstance *self,
                            const StrobeSource *source, int32_t logs);
    /* end of base ABI 1.0 */
} StrobeImporterOps;

#if defined(__cplusplus)
}
#endif

#endif
