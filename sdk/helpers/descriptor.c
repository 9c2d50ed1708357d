/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/descriptor.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int strobe_descriptor_aside(int descriptor)
{
    if (descriptor < 0 || descriptor > STDERR_FILENO)
        return descriptor;
    int other = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int saved = errno;
    close(descriptor);
    errno = saved;
    return other;
}
