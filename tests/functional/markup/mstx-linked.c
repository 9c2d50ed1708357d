/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is linked with libms_tools_ext.so, and makes marks with the published
 * functions. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void mstxMarkA(const char *message, void *stream);
uint64_t mstxRangeStartA(const char *message, void *stream);
void mstxRangeEnd(uint64_t id);
int mstxGetToolId(uint64_t *id);
void *mstxDomainCreateA(const char *name);
void mstxDomainDestroy(void *domain);
void mstxDomainMarkA(void *domain, const char *message, void *stream);
uint64_t mstxDomainRangeStartA(void *domain, const char *message, void *stream);
void mstxDomainRangeEnd(void *domain, uint64_t id);
void *mstxMemHeapRegister(void *domain, const void *heap);
void mstxMemHeapUnregister(void *domain, void *heap);
void mstxMemRegionsRegister(void *domain, const void *regions);
void mstxMemRegionsUnregister(void *domain, const void *regions);

struct range {
    uint32_t device;
    const void *address;
    uint64_t size;
};

static void *end_there(void *id)
{
    mstxRangeEnd((uint64_t)(uintptr_t)id);
    return NULL;
}

static void *start_there(void *id)
{
    *(uint64_t *)id = mstxRangeStartA("left by its thread", NULL);
    return NULL;
}

static void run_in_thread(void *(*function)(void *), void *argument)
{
    pthread_t thread;

    pthread_create(&thread, NULL, function, argument);
    pthread_join(thread, NULL);
}

static void mark_memory(void *domain)
{
    struct range pool = {3, (void *)0x100000, 4096},
                 pieces[2] = {{3, (void *)0x100000, 64}, {3, (void *)0x100040, 128}};
    struct {
        int32_t usage, type;
        const void *range;
    } heap = {0x5a5a5a5a, -7, &pool};
    struct {
        void *heap;
        int32_t type;
        size_t count;
        const void *ranges;
        void **handles;
    } regions = {(void *)1, 99, 2, pieces, (void **)8};
    struct {
        int32_t type;
        const void *pointer;
    } ref = {0, (void *)0x100040};
    struct {
        size_t count;
        const void *refs;
    } refs = {1, &ref};

    void *handle = mstxMemHeapRegister(domain, &heap);
    mstxMemRegionsRegister(domain, &regions);
    mstxMemRegionsUnregister(domain, &refs);
    mstxMemHeapUnregister(domain, handle);
}

int main(void)
{
    char text[32] = "copied at the call";
    uint64_t tool = 0, a, b, left = 0;
    void *domain = mstxDomainCreateA("training");

    mstxMarkA("begin", NULL);
    a = mstxRangeStartA("a", NULL);
    b = mstxRangeStartA("overlaps a", NULL);
    mstxRangeEnd(a);
    mstxRangeEnd(b);
    mstxRangeEnd(b);
    mstxRangeEnd(0);
    a = mstxRangeStartA(text, NULL);
    memset(text, 'x', sizeof text - 1);
    mstxRangeEnd(a);
    run_in_thread(end_there, (void *)(uintptr_t)mstxRangeStartA("ends elsewhere", NULL));
    run_in_thread(start_there, &left);
    mstxRangeEnd(left);

    a = mstxDomainRangeStartA(domain, "epoch", NULL);
    mstxDomainMarkA(domain, "loss", NULL);
    mstxDomainRangeEnd(domain, a);
    mark_memory(domain);
    mstxRangeStartA(NULL, NULL);
    mstxRangeStartA("never ends", NULL);
    printf("%d %d %#lx\n", domain != NULL, mstxDomainCreateA("training") == domain,
           mstxGetToolId(&tool) == 0 ? (unsigned long)tool : 0ul);
    mstxDomainDestroy(domain);
    mstxDomainDestroy((void *)1);
    return 0;
}
