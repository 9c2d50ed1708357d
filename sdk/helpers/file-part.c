/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/file-part.h>

#include <errno.h>
#include <unistd.h>

int64_t strobe_file_part_read(int file, uint64_t offset, void *bytes, size_t length)
{
    size_t n = 0;

    while (n < length) {
        ssize_t done = pread(file, (char *)bytes + n, length - n, (off_t)(offset + n));

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        if (done == 0)
            break;
        n += (size_t)done;
    }
    return (int64_t)n;
}

int strobe_file_part_write(int file, uint64_t offset, const void *bytes, size_t length)
{
    size_t n = 0;

    while (n < length) {
        ssize_t done = pwrite(file, (const char *)bytes + n, length - n, (off_t)(offset + n));

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : EIO;
        n += (size_t)done;
    }
    return 0;
}
