/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that NVTX calls. */
#include "nvtx-abi.h"

#include <stdlib.h>
#include <string.h>

#include "marker-marks.h"
#include "marker-text.h"

/* maximum number of UTF-8 bytes of a text of wide characters; longer texts are cut off */
#define WIDE_MAX 4096

/* The name of a category in a domain. It is never freed, because there are few categories. */
typedef struct Category {
    struct Category *next;
    const MarkDomain *domain;
    uint32_t number;
    char name[];
} Category;

static Category *_Atomic categories;

/* ---- the contents of a mark ---- */

static const char *name_of_category(const MarkDomain *domain, uint32_t number)
{
    for (const Category *c = atomic_load_explicit(&categories, memory_order_acquire); c;
         c = c->next)
        if (c->number == number && c->domain == domain)
            return c->name;
    return NULL;
}

/* Adds a name at the front of the list, so that it is found before an earlier name of the
 * category. */
static void name_category(const MarkDomain *domain, uint32_t number, const char *name)
{
    size_t size = name ? strlen(name) + 1 : 0;
    Category *category = domain && size ? malloc(sizeof *category + size) : NULL;

    if (!category)
        return;
    category->domain = domain;
    category->number = number;
    memcpy(category->name, name, size);
    category->next = atomic_load(&categories);
    while (!atomic_compare_exchange_weak(&categories, &category->next, category))
        ;
}

static int has_member(const NvtxAttributes *attributes, size_t end)
{
    return attributes->size >= end;
}

#define HAS(attributes, member)                                                                    \
    has_member(attributes, offsetof(NvtxAttributes, member) + sizeof((attributes)->member))

/* Returns the payload as an integer. Integers keep their bits; floating point numbers are rounded
 * toward zero. */
static uint64_t payload_of(const NvtxAttributes *attributes)
{
    switch (attributes->payload_type) {
    case NVTX_U64:
    case NVTX_I64:
        return attributes->payload.u64;
    case NVTX_F64:
        return (uint64_t)(int64_t)attributes->payload.f64;
    case NVTX_U32:
        return attributes->payload.u32;
    case NVTX_I32:
        return (uint64_t)(int64_t)attributes->payload.i32;
    case NVTX_F32:
        return (uint64_t)(int64_t)attributes->payload.f32;
    default:
        return STROBE_ABSENT_U64;
    }
}

/* Sets and returns the mark's metadata; NULL: the mark has only a message. */
static const MarkMetadata *metadata_of(const MarkDomain *domain, const NvtxAttributes *attributes,
                                       MarkMetadata *metadata)
{
    int has_category = HAS(attributes, category) && attributes->category;

    *metadata = mark_no_metadata;
    if (has_category) {
        metadata->category = attributes->category;
        metadata->category_name = name_of_category(domain, attributes->category);
    }
    if (HAS(attributes, payload))
        metadata->argument = payload_of(attributes);
    return has_category || metadata->argument != STROBE_ABSENT_U64 ? metadata : NULL;
}

/* Returns the message; an empty text if the mark has none. */
static const char *message_of(const NvtxAttributes *attributes, char *wide)
{
    const char *text = NULL;

    if (HAS(attributes, message) && attributes->message_type == NVTX_UNICODE)
        text = text_of_wide(attributes->message, wide, WIDE_MAX);
    else if (HAS(attributes, message) && attributes->message_type != NVTX_MESSAGE_NONE)
        /* the handle of a registered string is a pointer to its text */
        text = attributes->message;
    return text ? text : "";
}

/* ---- ranges ---- */

static uint64_t start_range(MarkDomain *domain, const char *text, const MarkMetadata *metadata)
{
    uint64_t id = mark_next_id();

    return mark_start(domain, mark_key(MARK_OF_NVTX, id), text, metadata) ? id : 0;
}

static void end_range(MarkDomain *domain, uint64_t id)
{
    mark_end_by_next_id(domain, mark_key(MARK_OF_NVTX, id), id);
}

static int push_range(MarkDomain *domain, const char *text, const MarkMetadata *metadata)
{
    int depth = mark_push(domain, text, metadata);

    return depth < 0 ? NVTX_NO_PUSH_POP_TRACKING : depth;
}

static int pop_range(MarkDomain *domain)
{
    int depth = mark_pop(domain);

    return depth < 0 ? NVTX_NO_PUSH_POP_TRACKING : depth;
}

/* ---- functions that programs call ---- */

static void domain_mark_ex(MarkDomain *domain, const NvtxAttributes *attributes)
{
    char wide[WIDE_MAX];

    if (!marks_on() || !attributes)
        return;
    MarkMetadata metadata;
    const MarkMetadata *known = metadata_of(domain, attributes, &metadata);
    mark_instant(domain, message_of(attributes, wide), known);
}

static uint64_t domain_start_ex(MarkDomain *domain, const NvtxAttributes *attributes)
{
    char wide[WIDE_MAX];

    if (!marks_on() || !attributes)
        return 0;
    MarkMetadata metadata;
    const MarkMetadata *known = metadata_of(domain, attributes, &metadata);
    return start_range(domain, message_of(attributes, wide), known);
}

static void domain_end(MarkDomain *domain, uint64_t id)
{
    if (marks_on())
        end_range(domain, id);
}

static int domain_push_ex(MarkDomain *domain, const NvtxAttributes *attributes)
{
    char wide[WIDE_MAX];

    if (!marks_on() || !attributes)
        return NVTX_NO_PUSH_POP_TRACKING;
    MarkMetadata metadata;
    const MarkMetadata *known = metadata_of(domain, attributes, &metadata);
    return push_range(domain, message_of(attributes, wide), known);
}

static int domain_pop(MarkDomain *domain)
{
    return marks_on() ? pop_range(domain) : NVTX_NO_PUSH_POP_TRACKING;
}

static void mark_ex(const NvtxAttributes *attributes)
{
    if (marks_on())
        domain_mark_ex(mark_default_domain(), attributes);
}

static void mark_a(const char *text)
{
    if (marks_on())
        mark_instant(mark_default_domain(), text, NULL);
}

static void mark_w(const wchar_t *text)
{
    char wide[WIDE_MAX];

    if (marks_on())
        mark_a(text_of_wide(text, wide, sizeof wide));
}

static uint64_t start_ex(const NvtxAttributes *attributes)
{
    return marks_on() ? domain_start_ex(mark_default_domain(), attributes) : 0;
}

static uint64_t start_a(const char *text)
{
    return marks_on() ? start_range(mark_default_domain(), text, NULL) : 0;
}

static uint64_t start_w(const wchar_t *text)
{
    char wide[WIDE_MAX];

    return marks_on() ? start_a(text_of_wide(text, wide, sizeof wide)) : 0;
}

static void range_end(uint64_t id)
{
    if (marks_on())
        end_range(mark_default_domain(), id);
}

static int push_ex(const NvtxAttributes *attributes)
{
    return marks_on() ? domain_push_ex(mark_default_domain(), attributes)
                      : NVTX_NO_PUSH_POP_TRACKING;
}

static int push_a(const char *text)
{
    return marks_on() ? push_range(mark_default_domain(), text, NULL) : NVTX_NO_PUSH_POP_TRACKING;
}

static int push_w(const wchar_t *text)
{
    char wide[WIDE_MAX];

    return marks_on() ? push_a(text_of_wide(text, wide, sizeof wide)) : NVTX_NO_PUSH_POP_TRACKING;
}

static int range_pop(void)
{
    return marks_on() ? pop_range(mark_default_domain()) : NVTX_NO_PUSH_POP_TRACKING;
}

/* ---- names ---- */

static void name_category_a(uint32_t number, const char *name)
{
    name_category(mark_default_domain(), number, name);
}

static void name_category_w(uint32_t number, const wchar_t *name)
{
    char wide[WIDE_MAX];

    name_category_a(number, text_of_wide(name, wide, sizeof wide));
}

static void domain_name_category_w(MarkDomain *domain, uint32_t number, const wchar_t *name)
{
    char wide[WIDE_MAX];

    name_category(domain, number, text_of_wide(name, wide, sizeof wide));
}

static void name_thread_a(uint32_t tid, const char *name)
{
    if (marks_on())
        mark_thread_name(tid, name);
}

static void name_thread_w(uint32_t tid, const wchar_t *name)
{
    char wide[WIDE_MAX];

    name_thread_a(tid, text_of_wide(name, wide, sizeof wide));
}

/* ---- domains, strings ---- */

static MarkDomain *create_a(const char *name)
{
    return name ? mark_domain(name, strlen(name)) : NULL;
}

static MarkDomain *create_w(const wchar_t *name)
{
    char wide[WIDE_MAX];

    return create_a(text_of_wide(name, wide, sizeof wide));
}

/* Returns a handle, which is a copy of the text. The copy is never freed, because programs never
 * give handles back. */
static const char *register_a(const MarkDomain *domain, const char *text)
{
    return text ? strdup(text) : NULL;
}

static const char *register_w(const MarkDomain *domain, const wchar_t *text)
{
    char wide[WIDE_MAX];

    return register_a(domain, text_of_wide(text, wide, sizeof wide));
}

/* ---- injection ---- */

#define FUNCTION(name) (NvtxFunction) name

static void fill_table(NvtxGetTable get_table, int module, const NvtxFunction *functions,
                       unsigned n)
{
    NvtxFunction **table = NULL;
    unsigned size = 0;

    if (!get_table(module, &table, &size) || !table)
        return;
    for (unsigned i = 1; i < n && i < size; i++)
        if (table[i] && functions[i])
            *table[i] = functions[i];
}

int InitializeInjectionNvtx2(NvtxGetExport get_export)
{
    static const NvtxFunction core[] = {
        NULL,
        FUNCTION(mark_ex),
        FUNCTION(mark_a),
        FUNCTION(mark_w),
        FUNCTION(start_ex),
        FUNCTION(start_a),
        FUNCTION(start_w),
        FUNCTION(range_end),
        FUNCTION(push_ex),
        FUNCTION(push_a),
        FUNCTION(push_w),
        FUNCTION(range_pop),
        FUNCTION(name_category_a),
        FUNCTION(name_category_w),
        FUNCTION(name_thread_a),
        FUNCTION(name_thread_w),
    };
    static const NvtxFunction core2[] = {
        NULL,
        FUNCTION(domain_mark_ex),
        FUNCTION(domain_start_ex),
        FUNCTION(domain_end),
        FUNCTION(domain_push_ex),
        FUNCTION(domain_pop),
        NULL, /* resources: names of locks and similar, which no mark uses */
        NULL,
        FUNCTION(name_category),
        FUNCTION(domain_name_category_w),
        FUNCTION(register_a),
        FUNCTION(register_w),
        FUNCTION(create_a),
        FUNCTION(create_w),
    };
    const NvtxCallbacks *callbacks = get_export ? get_export(NVTX_EXPORT_CALLBACKS) : NULL;
    const NvtxVersion *version = get_export ? get_export(NVTX_EXPORT_VERSION) : NULL;

    if (!callbacks || callbacks->size < sizeof *callbacks || !callbacks->get_table)
        return 0;
    if (version && version->size >= sizeof *version && version->set_injection_version)
        version->set_injection_version(3);
    fill_table(callbacks->get_table, NVTX_CORE, core, sizeof core / sizeof *core);
    fill_table(callbacks->get_table, NVTX_CORE2, core2, sizeof core2 / sizeof *core2);
    marks_wake();
    return 1;
}
