/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/descriptor.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define LEAST 512 /* low numbers do not reach it by themselves */

int strobe_descriptor_aside(int descriptor)
{
    int other = -1, saved = errno;

    if (descriptor < 0)
        return -1;
    other = fcntl(descriptor, F_DUPFD_CLOEXEC, LEAST);
    if (other < 0) { /* a limit that allows no such number, or none left */
        if (descriptor > STDERR_FILENO) {
            errno = saved;
            return descriptor;
        }
        other = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        saved = other < 0 ? errno : saved;
    }
    close(descriptor);
    errno = saved;
    return other;
}
