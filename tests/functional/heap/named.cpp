/* SPDX-License-Identifier: Apache-2.0 */
// Allocates in functions whose names the linker has in another form than the C++ source.
#include <cstddef>
#include <cstdlib>

#define SHOWN __attribute__((visibility("default"), noinline))

static void *volatile kept;

namespace shapes
{
template <typename Number> SHOWN void keep_block(Number size)
{
    kept = std::malloc(static_cast<std::size_t>(size));
}
} // namespace shapes

int main()
{
    shapes::keep_block<long>(40000);
    shapes::keep_block<int>(50000);
    return kept ? 0 : 1;
}
