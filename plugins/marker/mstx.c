/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mstx: a tool for its dispatchers, and the functions for programs that link them. See the mstx
 * headers for what each does; a range's id is the one of the tool behind where there is one.
 */
#include "mstx.h"

#include "mstx-chain.h"
#include "mstx-domain.h"

/* An id of ours beside those of a tool behind that did not record. */
#define OUR_ID (1ull << 63)

static uint64_t key_of(uint64_t id)
{
    return mark_key(MARK_OF_MSTX, id) | (id & OUR_ID) >> 4;
}

/* Of a mark that goes to the device too: what both can be joined by. NULL: it does not. Of an
 * instant the tool behind does not say its id. */
static const MarkMetadata *metadata_of(void *stream, uint64_t theirs, MarkMetadata *metadata)
{
    if (__builtin_expect(!stream || !marks_on(), 1))
        return NULL;
    *metadata = mark_no_metadata;
    metadata->connection = theirs ? mark_connection_of(theirs) : mark_next_connection();
    return metadata;
}

/* ---- ranges, with or without a domain ---- */

static uint64_t start_range(MarkDomain *domain, uint64_t theirs, const char *message, void *stream)
{
    MarkMetadata metadata;
    int is_chained = mstx_behind.core[MSTX_RANGE_START] != NULL;

    if (!marks_on() || !message)
        return theirs;
    const MarkMetadata *known = metadata_of(stream, theirs, &metadata);
    uint64_t id = theirs ? theirs : mark_next_id() | (is_chained ? OUR_ID : 0);
    return mark_start(domain, key_of(id), message, known) ? id : theirs;
}

/* The tool behind marks the device in its call, and the host's range has to begin before that.
 * Returns an id until the tool's own is known, 0: nothing of the kind is needed. */
static uint64_t start_early(MarkDomain *domain, const char *message, void *stream)
{
    if (__builtin_expect(!stream || !marks_on(), 1))
        return 0;
    uint64_t early = mark_next_id() | OUR_ID;
    return mark_start_early(domain, key_of(early), message) ? early : 0;
}

static uint64_t name_early(uint64_t early, uint64_t theirs)
{
    uint64_t id = theirs ? theirs : early;

    mark_name_early(key_of(early), key_of(id),
                    theirs ? mark_connection_of(theirs) : mark_next_connection());
    return id;
}

static void end_range(MarkDomain *domain, uint64_t id)
{
    if (!marks_on() || !id)
        return;
    if (mstx_behind.core[MSTX_RANGE_START]) /* it may be the id of the tool behind */
        mark_end(domain, key_of(id), id);
    else
        mark_end_by_next_id(domain, key_of(id), id);
}

/* ---- the thirteen ---- */

/* Nobody listens: what there is to do then is found without a frame. */
static inline int is_idle(unsigned function)
{
    return __builtin_expect(!mstx_behind.core[function] && !marks_on(), 1);
}

static void __attribute__((noinline)) mark(const char *message, void *stream)
{
    MstxMark *behind = (MstxMark *)mstx_behind.core[MSTX_MARK];
    MarkMetadata metadata;

    if (marks_on()) /* before the tool behind marks the device */
        mark_instant(mark_default_domain(), message, metadata_of(stream, 0, &metadata));
    if (behind)
        behind(message, stream);
}

void mstxMarkA(const char *message, void *stream)
{
    if (!is_idle(MSTX_MARK))
        mark(message, stream);
}

static uint64_t __attribute__((noinline)) range_start(const char *message, void *stream)
{
    MstxRangeStart *behind = (MstxRangeStart *)mstx_behind.core[MSTX_RANGE_START];
    uint64_t early = behind ? start_early(mark_default_domain(), message, stream) : 0;
    uint64_t theirs = behind ? behind(message, stream) : 0;

    if (early)
        return name_early(early, theirs);
    return marks_on() ? start_range(mark_default_domain(), theirs, message, stream) : theirs;
}

uint64_t mstxRangeStartA(const char *message, void *stream)
{
    return is_idle(MSTX_RANGE_START) ? 0 : range_start(message, stream);
}

static void __attribute__((noinline)) range_end(uint64_t id)
{
    MstxRangeEnd *behind = (MstxRangeEnd *)mstx_behind.core[MSTX_RANGE_END];

    if (behind && id && !(id & OUR_ID))
        behind(id);
    if (marks_on())
        end_range(mark_default_domain(), id);
}

void mstxRangeEnd(uint64_t id)
{
    if (!is_idle(MSTX_RANGE_END))
        range_end(id);
}

int mstxGetToolId(uint64_t *id)
{
    if (!id)
        return MSTX_FAIL;
    *id = MSTX_TOOL_STROBE;
    return MSTX_SUCCESS;
}

/* Never NULL for a name: programs take that for "no domains here", and remember it. */
void *mstxDomainCreateA(const char *name)
{
    MstxDomainCreate *behind = (MstxDomainCreate *)mstx_behind.domain[MSTX_DOMAIN_CREATE];
    MstxDomain *domain = name && *name ? mstx_domain_make(name) : NULL;

    if (domain && behind && !domain->behind)
        domain->behind = behind(name);
    return domain;
}

/* Ours stay: a program may create one of the same name again, and gets the same. */
void mstxDomainDestroy(void *handle)
{
    MstxDomainDestroy *behind = (MstxDomainDestroy *)mstx_behind.domain[MSTX_DOMAIN_DESTROY];
    const MstxDomain *domain = mstx_domain_of(handle);

    if (domain != handle)
        return;
    void *theirs = ((MstxDomain *)(uintptr_t)domain)->behind;
    ((MstxDomain *)(uintptr_t)domain)->behind = NULL;
    if (behind && theirs)
        behind(theirs);
}

void mstxDomainMarkA(void *handle, const char *message, void *stream)
{
    MstxDomainMark *behind = (MstxDomainMark *)mstx_behind.domain[MSTX_DOMAIN_MARK];

    if (!behind && !marks_on())
        return;
    const MstxDomain *domain = mstx_domain_of(handle);
    MarkMetadata metadata;
    mark_instant(domain->marks, message, metadata_of(stream, 0, &metadata));
    if (behind && mstx_domain_behind(domain))
        behind(mstx_domain_behind(domain), message, stream);
}

uint64_t mstxDomainRangeStartA(void *handle, const char *message, void *stream)
{
    MstxDomainRangeStart *behind =
        (MstxDomainRangeStart *)mstx_behind.domain[MSTX_DOMAIN_RANGE_START];

    if (!behind && !marks_on())
        return 0;
    const MstxDomain *domain = mstx_domain_of(handle);
    void *their_domain = mstx_domain_behind(domain);
    int is_chained = behind && their_domain;
    uint64_t early = is_chained ? start_early(domain->marks, message, stream) : 0;
    uint64_t theirs = is_chained ? behind(their_domain, message, stream) : 0;
    return early ? name_early(early, theirs) : start_range(domain->marks, theirs, message, stream);
}

void mstxDomainRangeEnd(void *handle, uint64_t id)
{
    MstxDomainRangeEnd *behind = (MstxDomainRangeEnd *)mstx_behind.domain[MSTX_DOMAIN_RANGE_END];

    if (!behind && !marks_on())
        return;
    const MstxDomain *domain = mstx_domain_of(handle);
    if (behind && mstx_domain_behind(domain) && id && !(id & OUR_ID))
        behind(mstx_domain_behind(domain), id);
    end_range(domain->marks, id);
}

/* ---- injection ---- */

static void set_function(MstxFunction **table, unsigned size, unsigned i, MstxFunction function)
{
    if (i < size && table[i])
        *table[i] = function;
}

static void fill_table(MstxGetTable get_table, int module, const MstxFunction *functions,
                       unsigned n)
{
    MstxFunction **table = NULL;
    unsigned size = 0;

    if (get_table(module, &table, &size) != MSTX_SUCCESS || !table)
        return; /* a toolkit that is older than the module */
    for (unsigned i = 1; i < n; i++)
        set_function(table, size, i, functions[i]);
}

/* Each module of a program with a dispatcher of its own calls this once. */
int InitInjectionMstx(MstxGetTable get_table)
{
    static const MstxFunction core[] = {NULL, (MstxFunction)mstxMarkA,
                                        (MstxFunction)mstxRangeStartA, (MstxFunction)mstxRangeEnd,
                                        (MstxFunction)mstxGetToolId};
    static const MstxFunction domain[] = {NULL,
                                          (MstxFunction)mstxDomainCreateA,
                                          (MstxFunction)mstxDomainDestroy,
                                          (MstxFunction)mstxDomainMarkA,
                                          (MstxFunction)mstxDomainRangeStartA,
                                          (MstxFunction)mstxDomainRangeEnd};
    static const MstxFunction memory[] = {
        NULL, (MstxFunction)mstxMemHeapRegister, (MstxFunction)mstxMemHeapUnregister,
        (MstxFunction)mstxMemRegionsRegister, (MstxFunction)mstxMemRegionsUnregister};

    if (!get_table)
        return MSTX_FAIL;
    mstx_chain();
    fill_table(get_table, MSTX_CORE, core, MSTX_CORE_SIZE);
    fill_table(get_table, MSTX_DOMAIN, domain, MSTX_DOMAIN_SIZE);
    fill_table(get_table, MSTX_MEMORY, memory, MSTX_MEMORY_SIZE);
    marks_wake();
    return MSTX_SUCCESS;
}
