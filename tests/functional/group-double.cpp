/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated process group: it makes the same reports as libtorch, an async range around an
 * operation, which may end on another thread. It stands for backends that the installed PyTorch
 * lacks. C++17. */
#include <ATen/ops/ones.h>
#include <ATen/record_function.h>

#include <memory>
#include <vector>

#define PUBLIC extern "C" __attribute__((visibility("default")))

namespace
{
std::unique_ptr<at::RecordFunction> operation;
}

/* Begins an operation on `n` elements. */
PUBLIC void group_begin(const char *title, long n)
{
    operation = std::make_unique<at::RecordFunction>(at::RecordScope::USER_SCOPE);
    if (!operation->isActive())
        return;
    operation->_setAsync();
    const std::vector<c10::IValue> inputs = {at::ones({n})};
    operation->before(title, c10::ArrayRef<const c10::IValue>(inputs.data(), inputs.size()));
}

PUBLIC void group_end(void)
{
    operation->end();
    operation.reset();
}
