/* SPDX-License-Identifier: Apache-2.0 */
/* How the snapshot tells a type, a member, a value; and its part about kinds. */
#ifndef STROBE_SDK_ABI_PRINT_ABI_H
#define STROBE_SDK_ABI_PRINT_ABI_H

#include <stddef.h>
#include <stdio.h>

#define STRUCT(type) printf("%s size %zu\n", #type, sizeof(type))
#define MEMBER(type, member)                                                                       \
    printf("  %s.%s offset %zu size %zu\n", #type, #member, offsetof(type, member),                \
           sizeof(((type *)0)->member))
#define VALUE(name) printf("%s %lld\n", #name, (long long)(name))
#define TEXT(name) printf("%s \"%s\"\n", #name, name)

/* All standard kinds. */
void print_kinds(void);

#endif
