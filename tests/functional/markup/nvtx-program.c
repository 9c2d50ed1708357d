/* SPDX-License-Identifier: Apache-2.0 */
/* A program that contains the part of NVTX 3 that looks for a tool, with its published layout. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

typedef void (*Function)(void);

static Function core[16], core2[16];
static Function *core_places[16], *core2_places[16];

static int get_table(int module, Function ***table, unsigned *size)
{
    *size = 16;
    *table = module == 1 ? core_places : module == 5 ? core2_places : NULL;
    return *table != NULL;
}

static void set_version(uint32_t version)
{
    if (version != 3)
        abort();
}

static const void *get_export(uint32_t id)
{
    static const struct {
        size_t size;
        int (*get)(int, Function ***, unsigned *);
    } callbacks = {16, get_table};
    static const struct {
        size_t size;
        uint32_t version, reserved;
        void (*set)(uint32_t);
    } version = {24, 3, 0, set_version};

    return id == 1 ? (const void *)&callbacks : id == 3 ? (const void *)&version : NULL;
}

struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};

static struct attributes attributes_of(int type, const void *message, uint32_t category,
                                       uint64_t payload)
{
    return (struct attributes){3, 48,      category, 1,      0xff00ff00, payload ? 1 : 0,
                               0, payload, type,     message};
}

#define CALL(table, i, type, ...) ((type)table[i])(__VA_ARGS__)
typedef void MarkA(const char *);
typedef void MarkEx(const struct attributes *);
typedef uint64_t StartA(const char *);
typedef void End(uint64_t);
typedef int PushA(const char *);
typedef int PushW(const wchar_t *);
typedef int PushEx(const struct attributes *);
typedef int Pop(void);
typedef void NameA(uint32_t, const char *);
typedef void *CreateA(const char *);
typedef void *RegisterA(void *, const char *);
typedef void DomainNameA(void *, uint32_t, const char *);
typedef int DomainPushEx(void *, const struct attributes *);
typedef int DomainPop(void *);
typedef uint64_t DomainStartEx(void *, const struct attributes *);
typedef void DomainEnd(void *, uint64_t);

static int load_tool(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *tool = path ? dlopen(path, RTLD_LAZY) : NULL;
    int (*function)(const void *(*)(uint32_t)) =
        tool ? (int (*)(const void *(*)(uint32_t)))dlsym(tool, "InitializeInjectionNvtx2") : NULL;

    for (int i = 1; i < 16; i++) {
        core_places[i] = &core[i];
        core2_places[i] = &core2[i];
    }
    return function && function(get_export);
}

static void *end_there(void *id)
{
    CALL(core, 7, End *, (uint64_t)(uintptr_t)id);
    return NULL;
}

static void without_domain(void)
{
    struct attributes a = attributes_of(1, "with facts", 7, 1234);
    pthread_t thread;

    CALL(core, 12, NameA *, 7, "input");
    CALL(core, 14, NameA *, (uint32_t)syscall(SYS_gettid), "trainer");
    CALL(core, 2, MarkA *, "instant");
    int outer = CALL(core, 9, PushA *, "outer");
    int inner = CALL(core, 10, PushW *, L"inner \u00e4\u4e2d\U0001f600");
    int after_inner = CALL(core, 11, Pop *);
    int after_outer = CALL(core, 11, Pop *);
    int none = CALL(core, 11, Pop *);
    printf("%d %d %d %d %d\n", outer, inner, after_inner, after_outer, none);
    CALL(core, 8, PushEx *, &a);
    CALL(core, 11, Pop *);
    uint64_t id = CALL(core, 5, StartA *, "ends elsewhere");
    pthread_create(&thread, NULL, end_there, (void *)(uintptr_t)id);
    pthread_join(thread, NULL);
    a.size = 12; /* the size of a struct of another version, with fewer members */
    CALL(core, 1, MarkEx *, &a);
}

static void with_domains(void)
{
    void *first = CALL(core2, 12, CreateA *, "first"),
         *second = CALL(core2, 12, CreateA *, "second");
    struct attributes a = attributes_of(3, CALL(core2, 10, RegisterA *, first, "registered"), 1, 0);
    struct attributes b = attributes_of(1, "crossed", 0, 0);

    CALL(core2, 8, DomainNameA *, first, 1, "of first");
    int depth_a = CALL(core2, 4, DomainPushEx *, first, &a);
    int depth_b = CALL(core2, 4, DomainPushEx *, second, &b);
    int after_a = CALL(core2, 5, DomainPop *, first);
    int after_b = CALL(core2, 5, DomainPop *, second);
    printf("%d %d %d %d\n", depth_a, depth_b, after_a, after_b);
    uint64_t id = CALL(core2, 2, DomainStartEx *, first, &a);
    CALL(core2, 3, DomainEnd *, first, id);
}

int main(void)
{
    if (!load_tool()) {
        puts("no tool");
        return 0;
    }
    without_domain();
    with_domains();
    return 0;
}
