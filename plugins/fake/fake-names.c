/* SPDX-License-Identifier: Apache-2.0 */
#include "fake-names.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define NAME(text) {text, sizeof(text) - 1}

static const FakeName hostile_names[] = {
    NAME("say \"hello\""),
    NAME("back\\slash\\"),
    NAME("line\nbreak\r\nand\ttab"),
    NAME("nul\0inside"),
    NAME("control\x01\x02\x1b[31m\x7f"),
    NAME("bare continuation \x80\xbf"),
    NAME("cut short \xe2\x82"),
    NAME("overlong \xc0\xaf"),
    NAME("surrogate \xed\xa0\x80"),
    NAME("beyond unicode \xf4\x90\x80\x80"),
    NAME("not utf-8 \xff\xfe"),
    NAME("\xef\xbb\xbf"
         "byte order mark"),
    NAME("Gr\xc3\xbc\xc3\x9f"
         "e \xe4\xbd\xa0\xe5\xa5\xbd \xf0\x9f\x98\x80"),
    NAME("right to left \xe2\x80\xae"
         "txt"),
    NAME("line separator \xe2\x80\xa8"),
    NAME("a,b;c|d"),
    NAME("=1+1"),
    NAME("</script><script>alert(1)</script>"),
    NAME("'; DROP TABLE STRING_IDS; --"),
    NAME("../../etc/passwd"),
    NAME("%s%n%d"),
    NAME("{\"json\": [1]}"),
    NAME(" leading and trailing blanks "),
};

#define N_SHORT (sizeof hostile_names / sizeof *hostile_names)

static char long_name[FAKE_LONG_NAME];

static void make_long_name(void)
{
    static const char part[] = "long \"name\"\n\xff ";
    for (size_t i = 0; i < sizeof long_name; i++)
        long_name[i] = part[i % (sizeof part - 1)];
}

uint32_t fake_n_hostile_names(void)
{
    return N_SHORT + 1;
}

FakeName fake_hostile_name(uint64_t number)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint64_t index = number % (N_SHORT + 1);
    if (index < N_SHORT)
        return hostile_names[index];
    pthread_once(&once, make_long_name);
    FakeName name = {long_name, sizeof long_name};
    return name;
}

FakeName fake_plain_name(uint64_t number, char *buffer)
{
    FakeName name = {buffer, (size_t)snprintf(buffer, 16, "fake_%u", (unsigned)(number % 16))};
    return name;
}
