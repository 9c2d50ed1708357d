/* SPDX-License-Identifier: Apache-2.0 */
#include "domains.h"

#include <stdlib.h>
#include <string.h>

#include "double-buffers.h"

#define API __attribute__((visibility("default")))
#define DOMAINS_MAX 64u
#define OPEN_MAX 1024u
#define NAME_MAX_BYTES 254u

enum { START = 2, END = 4, START_WITH_DEVICE = 16, END_WITH_DEVICE = 32 };

int msptiActivityEnableMarkerDomain(const char *domain);
int msptiActivityDisableMarkerDomain(const char *domain);
int msptiEnableCallback(uint32_t enable, void *handle, uint32_t domain, uint32_t callback);
int msptiEnableDomain(uint32_t enable, void *handle, uint32_t domain);

static char *off[DOMAINS_MAX]; /* names of the domains that are off; NULL: the entry is free */
static struct {
    uint64_t id;
    int is_off;
} begun[OPEN_MAX];

/* ---- domains of marks ---- */

static uint32_t place_of(const char *domain)
{
    uint32_t i = 0;

    while (i < DOMAINS_MAX && !(off[i] && strcmp(off[i], domain) == 0))
        i++;
    return i;
}

/* Switches a domain off or on. A name that no mark has used is valid too. */
static int set_domain(const char *domain, int is_off)
{
    if (!domain || strlen(domain) > NAME_MAX_BYTES)
        return 1;
    double_hold();
    uint32_t at = place_of(domain);
    if (!is_off && at < DOMAINS_MAX) {
        free(off[at]);
        off[at] = NULL;
    }
    for (uint32_t i = 0; is_off && at == DOMAINS_MAX && i < DOMAINS_MAX; i++)
        if (!off[i]) {
            off[i] = strdup(domain);
            at = i;
        }
    double_give();
    return 0;
}

API int msptiActivityEnableMarkerDomain(const char *domain)
{
    return set_domain(domain, 0);
}

API int msptiActivityDisableMarkerDomain(const char *domain)
{
    return set_domain(domain, 1);
}

int domains_drop(const uint8_t *marker)
{
    const char *domain;
    uint32_t flag;
    uint64_t id;

    memcpy(&flag, marker + 4, sizeof flag);
    memcpy(&id, marker + 20, sizeof id);
    memcpy(&domain, marker + 44, sizeof domain);
    if (flag & (END | END_WITH_DEVICE))
        return begun[id % OPEN_MAX].id == id && begun[id % OPEN_MAX].is_off;
    int is_off = domain && place_of(domain) < DOMAINS_MAX;
    if (flag & (START | START_WITH_DEVICE)) {
        begun[id % OPEN_MAX].id = id;
        begun[id % OPEN_MAX].is_off = is_off;
    }
    return is_off;
}

/* ---- callbacks, which the double never calls ---- */

static int check_domain(uint32_t domain)
{
    const char *preload = getenv("LD_PRELOAD");

    if (domain < 1 || domain > 2)
        return 1;
    return preload && strstr(preload, "libmspti.so") ? 0 : 6;
}

API int msptiEnableCallback(uint32_t enable, void *handle, uint32_t domain, uint32_t callback)
{
    return callback >= 64 ? 1 : check_domain(domain);
}

API int msptiEnableDomain(uint32_t enable, void *handle, uint32_t domain)
{
    return check_domain(domain);
}
