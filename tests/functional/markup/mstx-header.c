/* SPDX-License-Identifier: Apache-2.0 */
/* A program that contains its own dispatcher, like programs with the header-only form of mstx. The
 * dispatcher knows only the first module, like that of older headers. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*Function)(void);

static void (*mark)(const char *, void *);
static uint64_t (*range_start)(const char *, void *);
static void (*range_end)(uint64_t);
static int (*get_tool)(uint64_t *);

static int get_table(int module, Function ***table, unsigned *size)
{
    static Function *places[] = {NULL, (Function *)&mark, (Function *)&range_start,
                                 (Function *)&range_end, (Function *)&get_tool};

    if (module != 1 || !table || !size)
        return 1;
    *table = places;
    *size = 4; /* the dispatcher does not know the last function, so a tool must not set it */
    return 0;
}

int main(void)
{
    const char *path = getenv("MSTX_INJECTION_PATH");
    void *tool = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    int (*init)(int (*)(int, Function ***, unsigned *)) =
        (int (*)(int (*)(int, Function ***, unsigned *)))dlsym(tool, "InitInjectionMstx");
    int is_set = init && init(get_table) == 0;
    /* calls the init function again, because another module of the program may have its own
     * dispatcher */
    int again = init && init(get_table) == 0;

    if (is_set) {
        uint64_t id = range_start("header", NULL);
        mark("inside", NULL);
        range_end(id);
    }
    printf("%d %d %d\n", is_set, again, get_tool == NULL);
    return 0;
}
