/* SPDX-License-Identifier: Apache-2.0 */
/* Another tool for mstx, with the published protocol. It writes a line for each call to the file
 * MSTX_TOOL_LOG. MSTX_TOOL_MODULES is the number of modules that it supports; if it is 0, the
 * tool's start fails. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Function)(void);
typedef int (*GetTable)(int module, Function ***table, unsigned *size);

static uint64_t last_id = 100;

static void log_call(const char *call, const char *text, uint64_t number)
{
    FILE *file = fopen(getenv("MSTX_TOOL_LOG"), "a");

    if (!file)
        return;
    fprintf(file, "%s %s %#llx\n", call, text, (unsigned long long)number);
    fclose(file);
}

static void log_mark(const char *message, void *stream)
{
    log_call("mark", message, (uintptr_t)stream);
}

static uint64_t range_start(const char *message, void *stream)
{
    log_call("start", message, (uintptr_t)stream);
    return strcmp(message, "refused") == 0 ? 0 : ++last_id;
}

static void range_end(uint64_t id)
{
    log_call("end", "-", id);
}

static int get_tool(uint64_t *id)
{
    *id = 0x1000;
    return 0;
}

static void *domain_create(const char *name)
{
    log_call("create", name, 0);
    return strdup(name);
}

static void domain_destroy(void *domain)
{
    log_call("destroy", domain, 0);
}

static void domain_mark(void *domain, const char *message, void *stream)
{
    log_call(domain, message, (uintptr_t)stream);
}

static uint64_t domain_start(void *domain, const char *message, void *stream)
{
    log_call(domain, message, (uintptr_t)stream);
    return ++last_id;
}

static void domain_end(void *domain, uint64_t id)
{
    log_call(domain, "end", id);
}

__attribute__((visibility("default"))) int InitInjectionMstx(GetTable get_table);

int InitInjectionMstx(GetTable get_table)
{
    static const Function functions[][6] = {
        {NULL, (Function)log_mark, (Function)range_start, (Function)range_end, (Function)get_tool},
        {NULL, (Function)domain_create, (Function)domain_destroy, (Function)domain_mark,
         (Function)domain_start, (Function)domain_end},
    };
    int n_modules = atoi(getenv("MSTX_TOOL_MODULES"));

    for (int module = 1; module <= n_modules; module++) {
        Function **table = NULL;
        unsigned size = 0;
        if (get_table(module, &table, &size) != 0 || !table)
            return 1;
        for (unsigned i = 1; i < size && i < (module == 1 ? 5u : 6u); i++)
            if (table[i])
                *table[i] = functions[module - 1][i];
    }
    return n_modules == 0;
}
