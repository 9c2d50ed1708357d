/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mstx: the functions that are injected into its dispatchers, and that programs may also link
 * directly. The mstx headers describe each function. If marks are passed on to the vendor's tool
 * (mstx-chain.h), a range has the id that this tool gave it.
 */
#include "mstx.h"

#include "mstx-chain.h"
#include "mstx-domain.h"

/* Bit that is set in ids of this file, to distinguish them from ids of the vendor's tool. */
#define OUR_ID (1ull << 63)

static uint64_t key_of(uint64_t id)
{
    return mark_key(MARK_OF_MSTX, id) | (id & OUR_ID) >> 4;
}

/* Sets and returns the metadata of a mark that the vendor's tool also puts on the device: the id
 * that links the two marks. Returns NULL if the mark is not put on the device. `theirs` is the
 * vendor's id of the mark; 0: the mark is an instant, which has no id. */
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

/* Begins the range on the host before the vendor's tool puts its mark on the device. Returns an id
 * that is used until the vendor's id is known; 0: the range has no stream, or is not recorded. */
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
    if (mstx_behind.core[MSTX_RANGE_START]) /* the id may be one of the vendor's tool */
        mark_end(domain, key_of(id), id);
    else
        mark_end_by_next_id(domain, key_of(id), id);
}

/* ---- the functions of mstx ---- */

/* Returns whether nothing has to be done: no window records, and the vendor's tool does not have
 * the function. Inline, so that a mark then needs no stack frame. */
static inline int is_idle(unsigned function)
{
    return __builtin_expect(!mstx_behind.core[function] && !marks_on(), 1);
}

static void __attribute__((noinline)) mark(const char *message, void *stream)
{
    MstxMark *behind = (MstxMark *)mstx_behind.core[MSTX_MARK];
    MarkMetadata metadata;

    if (marks_on()) /* records the mark before the vendor's tool puts its mark on the device */
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

/* Returns NULL only if there is no name or no memory, because for programs NULL means that domains
 * are not supported, so they create no further domain. */
void *mstxDomainCreateA(const char *name)
{
    MstxDomainCreate *behind = (MstxDomainCreate *)mstx_behind.domain[MSTX_DOMAIN_CREATE];
    MstxDomain *domain = name && *name ? mstx_domain_make(name) : NULL;

    if (domain && behind && !domain->behind)
        domain->behind = behind(name);
    return domain;
}

/* Destroys only the vendor's domain. The MstxDomain stays, so a program that creates a domain with
 * the same name again gets the same handle. */
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
        return; /* an older toolkit has no such module */
    for (unsigned i = 1; i < n; i++)
        set_function(table, size, i, functions[i]);
}

/* Fills in the functions of a dispatcher. Each module of a program that has its own dispatcher
 * calls this function once. */
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
