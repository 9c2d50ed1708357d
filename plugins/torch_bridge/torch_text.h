/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a text in a callback of libtorch. Part of torch_backend.cpp. */
#ifndef STROBE_TORCH_TEXT_H
#define STROBE_TORCH_TEXT_H

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace
{

/* A text; each thread has one. Its memory grows and is reused. If there is no memory, appending has
 * no effect. */
class Text
{
  public:
    Text() = default;
    Text(const Text &) = delete;
    Text &operator=(const Text &) = delete;
    ~Text()
    {
        /* resets the text, because functions may still run while the thread's other objects are
         * destroyed */
        std::free(bytes_);
        bytes_ = nullptr;
        length_ = size_ = 0;
    }
    void clear()
    {
        length_ = 0;
    }
    void append(const char *bytes, size_t length)
    {
        if (length_ + length > size_ && !grow(length_ + length))
            return;
        std::memcpy(bytes_ + length_, bytes, length);
        length_ += length;
    }
    void append_number(int64_t value)
    {
        char digits[24];
        size_t at = sizeof digits;
        uint64_t rest = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
        do
            digits[--at] = static_cast<char>('0' + rest % 10);
        while (rest /= 10);
        if (value < 0)
            digits[--at] = '-';
        append(digits + at, sizeof digits - at);
    }
    const char *bytes() const
    {
        return bytes_ ? bytes_ : "";
    }
    size_t length() const
    {
        return length_;
    }

  private:
    bool grow(size_t needed)
    {
        size_t size = needed * 2 + 512;
        void *grown = std::realloc(bytes_, size);
        if (!grown)
            return false;
        bytes_ = static_cast<char *>(grown);
        size_ = size;
        return true;
    }
    char *bytes_ = nullptr;
    size_t length_ = 0;
    size_t size_ = 0;
};

} // namespace

#endif
