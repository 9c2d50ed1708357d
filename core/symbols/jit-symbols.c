/* SPDX-License-Identifier: Apache-2.0 */
#include "jit-symbols.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LISTS_MAX 64
#define OVERLAPS_MAX                                                                               \
    64 /* maximum number of functions before an address that are checked for it                    \
        */
#define NAME_MAX_BYTES 4096

#define DUMP_MAGIC 0x4A695444u
enum { CODE_LOAD = 0, CODE_MOVE = 1 };

typedef struct JitFunction {
    uint64_t begin, size;
    size_t order; /* position in the file; a later function replaces an earlier one */
    char *name;
} JitFunction;

typedef struct JitList {
    char *path;
    JitFunction *functions; /* sorted by begin, then by order */
    size_t n, room;
} JitList;

typedef struct DumpHead {
    uint32_t magic, version, bytes, machine, reserved, pid;
    uint64_t time, flags;
} DumpHead;

typedef struct DumpRecord {
    uint32_t type, bytes; /* `bytes` is the record's size, including this head */
    uint64_t time;
} DumpRecord;

typedef struct DumpCode { /* body of a CODE_LOAD record; the function's name and code follow */
    uint32_t pid, tid;
    uint64_t unused, begin, size, number;
} DumpCode;

typedef struct DumpMove {
    uint32_t pid, tid;
    uint64_t unused, from, to, size, number;
} DumpMove;

static JitList lists[LISTS_MAX];
static size_t n_lists;

static void add_function(JitList *list, uint64_t begin, uint64_t size, const char *name)
{
    if (list->n == list->room) {
        size_t room = list->room ? list->room * 2 : 256;
        JitFunction *more = realloc(list->functions, room * sizeof *more);
        if (!more)
            return;
        list->functions = more;
        list->room = room;
    }
    char *copy = strndup(name, NAME_MAX_BYTES);
    if (copy)
        list->functions[list->n] = (JitFunction){begin, size, list->n, copy};
    list->n += copy != NULL;
}

/* ---- perf-PID.map ---- */

static void read_map(JitList *list, FILE *file)
{
    char *line = NULL;
    size_t room = 0;

    while (getline(&line, &room, file) > 0) {
        unsigned long long begin, size;
        int at = 0;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%llx %llx %n", &begin, &size, &at) == 2 && at > 0 && line[at])
            add_function(list, begin, size, line + at);
    }
    free(line);
}

/* ---- jitdump ---- */

static void read_load(JitList *list, FILE *file, size_t left)
{
    char name[NAME_MAX_BYTES];
    DumpCode code;

    if (left <= sizeof code || fread(&code, sizeof code, 1, file) != 1)
        return;
    left -= sizeof code;
    size_t n = fread(name, 1, left < sizeof name ? left : sizeof name, file);
    if (memchr(name, 0, n))
        add_function(list, code.begin, code.size, name);
}

/* Reads a record of code that the compiler moved to another address. */
static void read_move(JitList *list, FILE *file, size_t left)
{
    DumpMove move;

    if (left < sizeof move || fread(&move, sizeof move, 1, file) != 1)
        return;
    for (size_t i = list->n; i > 0; i--)
        if (list->functions[i - 1].begin == move.from) {
            add_function(list, move.to, move.size, list->functions[i - 1].name);
            return;
        }
}

static void read_dump(JitList *list, FILE *file)
{
    DumpRecord record;
    DumpHead head;

    if (fread(&head, sizeof head, 1, file) != 1 || head.magic != DUMP_MAGIC)
        return;
    for (long at = head.bytes; fseek(file, at, SEEK_SET) == 0; at += record.bytes) {
        if (fread(&record, sizeof record, 1, file) != 1 || record.bytes < sizeof record)
            return;
        if (record.type == CODE_LOAD)
            read_load(list, file, record.bytes - sizeof record);
        else if (record.type == CODE_MOVE)
            read_move(list, file, record.bytes - sizeof record);
    }
}

/* ---- lists ---- */

static int compare_functions(const void *a, const void *b)
{
    const JitFunction *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Opens a list only if it is a regular file of this user or of root, because any user may be able
 * to write to its folder. */
static FILE *open_list(const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);

    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        (status.st_uid == geteuid() || status.st_uid == 0 || geteuid() == 0))
        return fdopen(file, "r");
    if (file >= 0)
        close(file);
    return NULL;
}

static int is_dump(const char *path, size_t length)
{
    return length > 5 && memcmp(path + length - 5, ".dump", 5) == 0;
}

static void read_list(JitList *list)
{
    FILE *file = open_list(list->path);

    if (!file)
        return;
    if (is_dump(list->path, strlen(list->path)))
        read_dump(list, file);
    else
        read_map(list, file);
    fclose(file);
    if (list->n)
        qsort(list->functions, list->n, sizeof *list->functions, compare_functions);
}

static const JitList *list_of(const StrobeNativeFrame *frame)
{
    for (size_t i = 0; i < n_lists; i++)
        if (strlen(lists[i].path) == frame->path_length &&
            memcmp(lists[i].path, frame->path, frame->path_length) == 0)
            return &lists[i];
    char *path = n_lists < LISTS_MAX ? strndup(frame->path, frame->path_length) : NULL;
    if (!path)
        return NULL;
    lists[n_lists] = (JitList){.path = path};
    read_list(&lists[n_lists]);
    return &lists[n_lists++];
}

/* Is the name of the form "PREFIX-NUMBER.SUFFIX"? */
static int has_form(const char *name, size_t length, const char *prefix, const char *suffix)
{
    size_t at = strlen(prefix), end = strlen(suffix);

    if (length <= at + end || memcmp(name, prefix, at) != 0 ||
        memcmp(name + length - end, suffix, end) != 0)
        return 0;
    return strspn(name + at, "0123456789") == length - at - end;
}

int jit_symbols_lists(const StrobeNativeFrame *frame)
{
    const char *slash = memrchr(frame->path, '/', frame->path_length);
    const char *name = slash ? slash + 1 : frame->path;
    size_t length = frame->path_length - (size_t)(name - frame->path);

    return has_form(name, length, "perf-", ".map") || has_form(name, length, "jit-", ".dump");
}

const char *jit_symbols_find(const StrobeNativeFrame *frame)
{
    const JitList *list = list_of(frame);
    size_t low = 0, high = list ? list->n : 0;

    while (low < high) { /* finds the first function that begins after the address */
        size_t middle = (low + high) / 2;
        if (list->functions[middle].begin <= frame->address)
            low = middle + 1;
        else
            high = middle;
    }
    const JitFunction *found = NULL;
    for (size_t i = 0; i < OVERLAPS_MAX && low > i; i++) {
        const JitFunction *function = &list->functions[low - 1 - i];
        if (frame->address - function->begin < function->size &&
            (!found || function->order > found->order))
            found = function;
    }
    return found ? found->name : NULL;
}

void jit_symbols_close(void)
{
    for (size_t i = 0; i < n_lists; i++) {
        for (size_t k = 0; k < lists[i].n; k++)
            free(lists[i].functions[k].name);
        free(lists[i].functions);
        free(lists[i].path);
    }
    n_lists = 0;
}
