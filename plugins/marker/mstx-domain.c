/* SPDX-License-Identifier: Apache-2.0 */
#include "mstx-domain.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MstxDomain *_Atomic first; /* the newest domain comes first; domains are never removed */

const MstxDomain *mstx_domain_of(const void *handle)
{
    static MstxDomain unknown;

    for (const MstxDomain *domain = first; domain; domain = domain->next)
        if (domain == handle)
            return domain;
    unknown.marks = mark_default_domain();
    return &unknown;
}

static MstxDomain *find_domain(const MarkDomain *marks)
{
    MstxDomain *domain = first;

    while (domain && domain->marks != marks)
        domain = domain->next;
    return domain;
}

MstxDomain *mstx_domain_make(const char *name)
{
    MarkDomain *marks = mark_domain(name, strlen(name));
    MstxDomain *domain;

    if (!marks)
        return NULL;
    pthread_mutex_lock(&lock);
    domain = find_domain(marks);
    if (!domain && (domain = calloc(1, sizeof *domain))) {
        domain->marks = marks;
        domain->next = first;
        first = domain;
    }
    pthread_mutex_unlock(&lock);
    return domain;
}
