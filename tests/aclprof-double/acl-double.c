/* SPDX-License-Identifier: Apache-2.0 */
/* A test double of AscendCL, with the functions that report whether AscendCL was initialised, and
 * which devices exist. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

int aclInit(const char *config);
int acl_double_is_initialised(void);
int aclrtGetDevice(int32_t *device);
int aclrtGetDeviceCount(uint32_t *count);
int aclrtSynchronizeDevice(void);
int acl_double_synchronized(void);

static int is_initialised, n_synchronized;

static int number_of(const char *word, int otherwise)
{
    const char *at = getenv("ACL_DOUBLE");

    at = at ? strstr(at, word) : NULL;
    return at ? atoi(at + strlen(word)) : otherwise;
}

API int aclInit(const char *config)
{
    is_initialised = 1;
    return 0;
}

API int acl_double_is_initialised(void)
{
    return is_initialised;
}

API int acl_double_synchronized(void)
{
    return n_synchronized;
}

API int aclrtGetDevice(int32_t *device)
{
    *device = number_of("current=", -1);
    return *device < 0 ? 107002 : 0;
}

API int aclrtGetDeviceCount(uint32_t *count)
{
    *count = (uint32_t)number_of("devices=", 2);
    return 0;
}

API int aclrtSynchronizeDevice(void)
{
    n_synchronized++;
    return 0;
}
