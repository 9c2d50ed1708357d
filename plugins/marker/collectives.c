/* SPDX-License-Identifier: Apache-2.0 */
#include "collectives.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../torch_bridge/libtorch.h"
#include "../torch_bridge/torch_collectives.h"
#include "marker-marks.h"

#define GROUP_SIZE 128

static const StrobeTorchCollectives *collectives; /* NULL: operations are not recorded */
static MarkDomain *domain;
static char problem[256];

/* ---- groups ---- */

void collectives_group(const char *name, int64_t peer)
{
    if (collectives)
        collectives->set_group(name, peer);
}

void collectives_usual_group(const char *name)
{
    if (collectives)
        collectives->set_usual_group(name);
}

/* Copies the text. Replaces characters that JSON would have to escape by '_'. */
static void copy_plain(char *plain, size_t size, const char *text)
{
    size_t n = 0;

    for (; text[n] && n < size - 1; n++)
        plain[n] = (unsigned char)text[n] < ' ' || strchr("\"\\", text[n]) ? '_' : text[n];
    plain[n] = '\0';
}

/* ---- ranges ---- */

static const struct {
    const char *title, *name;
} operations[] = {
    {"all_reduce", "HcclAllreduce"},
    {"allreduce", "HcclAllreduce"},
    {"broadcast", "HcclBroadcast"},
    {"reduce", "HcclReduce"},
    {"all_gather", "HcclAllGather"},
    {"_all_gather_base", "HcclAllGather"},
    {"reduce_scatter", "HcclReduceScatter"},
    {"_reduce_scatter_base", "HcclReduceScatter"},
    {"scatter", "HcclScatter"},
    {"gather", "HcclGather"},
    {"all_to_all", "HcclAlltoAll"},
    {"all_to_allv", "HcclAlltoAllV"},
    {"send", "HcclSend"},
    {"recv", "HcclRecv"},
    {"recvAnySource", "HcclRecv"},
    {"barrier", "HcclBarrier"},
};

/* Returns the vendor's name of an operation with a process group's title like "gloo:all_reduce". If
 * the vendor has no name, returns the part after the colon. */
static const char *operation_of(const char *title)
{
    const char *colon = strchr(title, ':');
    const char *own = colon ? colon + 1 : title;

    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i].title, own) == 0)
            return operations[i].name;
    return own;
}

#define QUOTE "\\\""
#define ENTRY(key, value) QUOTE key QUOTE ": " QUOTE value QUOTE

/* Writes the text in the vendor's form, in which each quote has a backslash before it. The stream
 * is 0, because a group on the host has none. */
static void format_collective(char *text, size_t size, const StrobeTorchCollective *operation)
{
    const char *name = operation_of(operation->title);
    const char *peer_key = strcmp(name, "HcclSend") == 0   ? "destRank"
                           : strcmp(name, "HcclRecv") == 0 ? "srcRank"
                                                           : NULL;
    char peer[64] = "", group[GROUP_SIZE] = "na";

    if (operation->group)
        copy_plain(group, sizeof group, operation->group);
    if (peer_key && operation->peer >= 0)
        snprintf(peer, sizeof peer, ENTRY("%s", "%" PRId64) ",", peer_key, operation->peer);
    snprintf(text, size,
             "{" ENTRY("streamId", "0") "," ENTRY("count", "%" PRIu64) "," ENTRY(
                 "dataType", "%s") ",%s" ENTRY("groupName", "%s") "," ENTRY("opName", "%.64s") "}",
             operation->count, operation->type, peer, group, name);
}

/* Number of operations that began in the window and have not ended. */
static _Atomic int n_open;

static uint64_t begin_operation(const StrobeTorchCollective *operation)
{
    char text[512];

    if (!marks_on())
        return 0;
    uint64_t id = mark_next_id();
    format_collective(text, sizeof text, operation);
    if (!mark_start(domain, mark_key(MARK_OF_MSTX, id), text, NULL))
        return 0;
    atomic_fetch_add(&n_open, 1);
    return id;
}

static void end_operation(uint64_t id)
{
    if (marks_on())
        mark_end_by_next_id(domain, mark_key(MARK_OF_MSTX, id), id);
    atomic_fetch_sub(&n_open, 1);
}

/* Waits for libtorch to report the ends of open operations: a thread that waited for an operation
 * may continue, and end the window, before libtorch reports the operation's end. */
static void wait_for_ends(void)
{
    const struct timespec pause = {0, 100000};

    for (int i = 0; i < 100 && atomic_load(&n_open) > 0; i++)
        nanosleep(&pause, NULL);
}

/* ---- the window ---- */

/* Finds the part of the PyTorch bridge for this libtorch that reports operations of process groups.
 * Returns NULL if there is none; `problem` then has the reason. */
static const StrobeTorchCollectives *find_collectives(const StrobeHost *host, StrobeInstance *self)
{
    char pattern[80], path[PATH_MAX];
    StrobeLibtorch libtorch;

    if (!strobe_libtorch_find(&libtorch)) {
        snprintf(problem, sizeof problem, "libtorch is not in the process");
        return NULL;
    }
    strobe_libtorch_bridge_pattern(libtorch.id, pattern, sizeof pattern);
    if (host->companion(self, pattern, path, sizeof path) != STROBE_OK) {
        snprintf(problem, sizeof problem,
                 "there is no bridge to PyTorch %.63s: strobe torch build builds it",
                 libtorch.version);
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const StrobeTorchCollectives *found =
        library ? dlsym(library, STROBE_TORCH_COLLECTIVES_SYMBOL) : NULL;
    if (!found || found->struct_size < sizeof *found) {
        snprintf(problem, sizeof problem,
                 "the bridge %.128s is of another version of Strobe: strobe torch build builds a "
                 "new one",
                 path);
        return NULL;
    }
    return found;
}

const char *collectives_begin(const StrobeHost *host, StrobeInstance *self)
{
    const StrobeTorchCollectives *found = host ? find_collectives(host, self) : NULL;
    const char *refused;

    if (!found)
        return problem;
    domain = mark_domain("communication", strlen("communication"));
    atomic_store(&n_open, 0);
    refused = found->enable(STROBE_TORCH_MARKS, begin_operation, end_operation);
    if (!refused)
        collectives = found;
    return refused;
}

void collectives_end(void)
{
    if (!collectives)
        return;
    collectives->disable(STROBE_TORCH_MARKS);
    collectives = NULL;
    wait_for_ends();
}
