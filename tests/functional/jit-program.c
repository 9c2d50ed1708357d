/* SPDX-License-Identifier: Apache-2.0 */
/* jit-program map|dump SECONDS FOLDER: makes two functions at run time, spends three quarters of
 * its processor time in one and a quarter in the other, and lists the functions in a file as
 * just-in-time compilers do. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Both functions together take a few microseconds. If they took as long as the time between two
 * samples, all samples would be at the same place in them. */
#define ROUND 2000
#define REPEATS 100
#define SPACE 4096
#define PART 64

/* The code of a function void f(unsigned long n) that counts down to 0. */
#if defined(__x86_64__)
static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#elif defined(__aarch64__)
static const unsigned char code[] = {0x00, 0x04, 0x00, 0xd1, 0xe0, 0xff,
                                     0xff, 0xb5, 0xc0, 0x03, 0x5f, 0xd6};
#else
static const unsigned char code[] = {0};
#endif

typedef void Function(unsigned long);

static const char *const names[] = {"made_large", "made_small"};

static void write_map(char *space)
{
    char path[64];

    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *file = fopen(path, "w");
    if (!file)
        exit(3);
    for (int i = 0; i < 2; i++)
        fprintf(file, "%lx %x %s\n", (unsigned long)(uintptr_t)(space + i * PART), PART, names[i]);
    fclose(file);
}

static void put_load(FILE *file, char *begin, const char *name, uint64_t number)
{
    const uint32_t bytes = (uint32_t)(16 + 40 + strlen(name) + 1 + sizeof code);
    const uint32_t head[4] = {0, bytes, 0, 0}, ids[2] = {(uint32_t)getpid(), (uint32_t)getpid()};
    const uint64_t place[4] = {(uintptr_t)begin, (uintptr_t)begin, PART, number};

    fwrite(head, sizeof head, 1, file);
    fwrite(ids, sizeof ids, 1, file);
    fwrite(place, sizeof place, 1, file);
    fwrite(name, strlen(name) + 1, 1, file);
    fwrite(code, sizeof code, 1, file);
}

/* Writes the file, and maps it as code, so that a sampler of the process gets an event for the
 * mapping. */
static void write_dump(char *space, const char *folder)
{
    const uint32_t head[10] = {0x4A695444, 1, 40, 0, 0, (uint32_t)getpid()};
    char path[4096];

    snprintf(path, sizeof path, "%s/jit-%d.dump", folder, (int)getpid());
    FILE *file = fopen(path, "w+");
    if (!file)
        exit(3);
    fwrite(head, sizeof head, 1, file);
    for (int i = 0; i < 2; i++)
        put_load(file, space + i * PART, names[i], (uint64_t)i);
    fflush(file);
    if (mmap(NULL, SPACE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0) == MAP_FAILED)
        exit(3);
    fclose(file);
}

static double read_cpu_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    if (argc != 4 || sizeof code < 2)
        return 2;
    char *space = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (space == MAP_FAILED)
        return 3;
    memcpy(space, code, sizeof code);
    memcpy(space + PART, code, sizeof code);
    if (mprotect(space, SPACE, PROT_READ | PROT_EXEC) != 0)
        return 3;
    __builtin___clear_cache(space, space + SPACE);
    if (strcmp(argv[1], "map") == 0)
        write_map(space);
    else
        write_dump(space, argv[3]);
    for (double end = read_cpu_time() + atof(argv[2]); read_cpu_time() < end;)
        for (int i = 0; i < REPEATS; i++) {
            ((Function *)(uintptr_t)space)(3 * ROUND);
            ((Function *)(uintptr_t)(space + PART))(ROUND);
        }
    return 0;
}
