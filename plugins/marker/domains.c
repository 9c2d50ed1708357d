/* SPDX-License-Identifier: Apache-2.0 */
/* The domains, and the options that say which of them are recorded. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "marker-marks.h"

static struct {
    pthread_mutex_t lock;
    MarkDomain *first; /* the newest domain comes first */
    uint32_t n;
    /* texts of the options domain_include and domain_exclude; NULL: empty */
    char *only, *never;
} domains = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Returns whether the name is in the list, whose names are joined by '+'. */
static int is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);

    while (list && *list) {
        size_t part = strcspn(list, "+");
        if (part == length && memcmp(list, name, length) == 0)
            return 1;
        list += part + (list[part] == '+');
    }
    return 0;
}

static int is_wanted(const char *name)
{
    if (domains.only && *domains.only)
        return is_listed(domains.only, name);
    return !is_listed(domains.never, name);
}

/* Returns the domain with this name; NULL: there is none. The caller must hold the lock. */
static MarkDomain *find_domain(const char *name, size_t length)
{
    for (MarkDomain *domain = domains.first; domain; domain = domain->next)
        if (strncmp(domain->name, name, length) == 0 && domain->name[length] == '\0')
            return domain;
    return NULL;
}

static MarkDomain *make_domain(const char *name, size_t length)
{
    MarkDomain *domain = malloc(sizeof *domain + length + 1);

    if (!domain)
        return NULL;
    memcpy(domain->name, name, length);
    domain->name[length] = '\0';
    domain->number = ++domains.n;
    domain->next = domains.first;
    atomic_init(&domain->is_wanted, is_wanted(domain->name));
    atomic_init(&domain->known, 0);
    domains.first = domain;
    return domain;
}

static MarkDomain *find_or_make(const char *name, size_t length)
{
    MarkDomain *domain = find_domain(name, length);

    return domain ? domain : make_domain(name, length);
}

MarkDomain *mark_domain(const char *name, size_t length)
{
    MarkDomain *domain;

    pthread_mutex_lock(&domains.lock);
    find_or_make("default", 7); /* the first domain gets number 1 */
    domain = find_or_make(name, length);
    pthread_mutex_unlock(&domains.lock);
    return domain;
}

MarkDomain *mark_default_domain(void)
{
    static _Atomic(MarkDomain *) domain;
    MarkDomain *known = atomic_load_explicit(&domain, memory_order_acquire);

    if (!known) {
        known = mark_domain("default", 7);
        atomic_store_explicit(&domain, known, memory_order_release);
    }
    return known;
}

static void keep_text(char **place, const char *text)
{
    free(*place);
    *place = text && *text ? strdup(text) : NULL;
}

void marks_filter(const char *only, const char *never)
{
    pthread_mutex_lock(&domains.lock);
    keep_text(&domains.only, only);
    keep_text(&domains.never, never);
    for (MarkDomain *domain = domains.first; domain; domain = domain->next)
        atomic_store_explicit(&domain->is_wanted, is_wanted(domain->name), memory_order_relaxed);
    pthread_mutex_unlock(&domains.lock);
}
