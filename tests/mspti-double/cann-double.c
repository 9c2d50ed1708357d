/* SPDX-License-Identifier: Apache-2.0 */
/* A test double of CANN for libraries that check whether CANN is installed. CANN_DOUBLE makes the
 * loading of a library fail: NAME:abort ends the process, NAME:hang=MS waits. NAME is the name of a
 * library, for example profapi. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STAND_IN(name_)                                                                            \
    int name_(void);                                                                               \
    __attribute__((visibility("default"))) int name_(void)                                         \
    {                                                                                              \
        return 0;                                                                                  \
    }

#if defined(CANN_PROFAPI)
STAND_IN(MsprofRegisterProfileCallback)
STAND_IN(ProfRegisterMstxFunc)
STAND_IN(ProfEnableMstxFunc)
#elif defined(CANN_LOG)
STAND_IN(CheckLogLevelForC)
#elif defined(CANN_ACL)
STAND_IN(aclInit)
#else
STAND_IN(halDeviceOpen)
#endif

__attribute__((constructor)) static void load(void)
{
    const char *wrong = getenv("CANN_DOUBLE");
    size_t length = strlen(CANN_NAME);

    if (!wrong || strncmp(wrong, CANN_NAME, length) != 0 || wrong[length] != ':')
        return;
    if (strcmp(wrong + length, ":abort") == 0)
        abort();
    if (strncmp(wrong + length, ":hang=", 6) == 0) {
        int ms = atoi(wrong + length + 6);
        const struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};
        nanosleep(&pause, NULL);
    }
}
