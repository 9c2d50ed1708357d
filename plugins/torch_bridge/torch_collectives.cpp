/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of torch.distributed's process groups, for the collectors that record them.
 *
 * A process group marks each operation with a range ("gloo:all_reduce") on the thread that carries
 * the operation out. This thread does not know the group; the group is an argument of the operator
 * that issues the operation ("c10d::allreduce_"). So this file registers a kernel, for these
 * operators only, which runs before the groups' own kernels. The kernel reads the argument and puts
 * the group into the thread's debug information, which libtorch passes on to the group's threads.
 */
#include "torch_collectives.h"

#ifndef NDEBUG
#define NDEBUG 1
#endif

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <strobe/record.h>

#include "torch_flops.h"

namespace
{

/* Data about an operation that is known before the operation runs. */
class GroupInfo final : public c10::DebugInfoBase
{
  public:
    std::string name; /* empty: not known */
    int64_t peer = -1;
    int32_t size = 0;
    uint64_t number = 0;
};

struct CollectiveClient {
    /* NULL: the client is disabled */
    std::atomic<uint64_t (*)(const StrobeTorchCollective *)> begin{nullptr};
    std::atomic<void (*)(uint64_t)> end{nullptr};
};

CollectiveClient collective_clients[STROBE_TORCH_CLIENTS];

/* ---- groups ---- */

std::mutex groups_lock; /* guards the three variables below */
std::string usual_group;
/* Number of operations that each group has issued: collectives, and transfers between two ranks. */
std::map<std::string, std::pair<uint64_t, uint64_t>> issued_operations;
std::map<const void *, std::string> given_names; /* names of groups, for libtorch before 2 */

thread_local std::shared_ptr<GroupInfo> given_group; /* set by set_group() */

const GroupInfo *thread_group()
{
    return dynamic_cast<const GroupInfo *>(
        c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PARAM_COMMS_INFO));
}

/* Weak, because a libtorch without torch.distributed does not have this function; it then has no
 * groups either, so the function is not called. */
__asm__(".weak _ZNK4c10d12ProcessGroup12getGroupNameB5cxx11Ev");
__asm__(".weak _ZNK4c10d12ProcessGroup12getGroupNameEv");

/* Returns the group's name, which groups have from 2.1 on. */
template <typename Group>
auto group_name(const Group &group, int) -> decltype(std::string(group.getGroupName()))
{
    return group.getGroupName();
}

template <typename Group> std::string group_name(const Group &group, long)
{
    std::lock_guard<std::mutex> guard(groups_lock);
    if (given_group && !given_group->name.empty())
        given_names[&group] = given_group->name;
    const auto known = given_names.find(&group);
    return known == given_names.end() ? usual_group : known->second;
}

uint64_t next_number(const c10d::ProcessGroup &group, const std::string &name, bool has_two_ranks)
{
    std::lock_guard<std::mutex> guard(groups_lock);
    auto &counts =
        issued_operations[name.empty() ? std::to_string(reinterpret_cast<uintptr_t>(&group))
                                       : name];
    return has_two_ranks ? ++counts.second : ++counts.first;
}

/* ---- the kernel that runs before the groups' own ---- */

bool is_wanted()
{
    return std::any_of(std::begin(collective_clients), std::end(collective_clients),
                       [](const CollectiveClient &client) { return client.begin.load(); });
}

/* Meaning of the first integer argument after the group. Its position identifies it, because before
 * libtorch 2 arguments have no names; all versions of an operator have the same position. */
enum class Rank { none, root, peer };

struct GroupOperator {
    const char *name;
    Rank rank;
};

const GroupOperator group_operators[] = {
    {"c10d::allreduce_", Rank::none},
    {"c10d::allreduce_coalesced_", Rank::none},
    {"c10d::broadcast_", Rank::root},
    {"c10d::reduce_", Rank::root},
    {"c10d::allgather_", Rank::none},
    {"c10d::_allgather_base_", Rank::none},
    {"c10d::allgather_coalesced_", Rank::none},
    {"c10d::allgather_into_tensor_coalesced_", Rank::none},
    {"c10d::reduce_scatter_", Rank::none},
    {"c10d::_reduce_scatter_base_", Rank::none},
    {"c10d::reduce_scatter_tensor_coalesced_", Rank::none},
    {"c10d::gather_", Rank::root},
    {"c10d::scatter_", Rank::root},
    {"c10d::alltoall_", Rank::none},
    {"c10d::alltoall_base_", Rank::none},
    {"c10d::barrier", Rank::none},
    {"c10d::send", Rank::peer},
    {"c10d::recv_", Rank::peer},
    {"c10d::recv_any_source_", Rank::none},
};

Rank rank_of(const std::string &name)
{
    for (const GroupOperator &op : group_operators)
        if (name == op.name)
            return op.rank;
    return Rank::none;
}

/* Returns the group in an argument, or nullptr if the argument is not a group. */
const c10d::ProcessGroup *group_of(const c10::IValue &value)
{
    if (!value.isObject())
        return nullptr;
    const auto &object = value.toObjectRef();
    const auto name = object.type()->name();
    if (!name || name->qualifiedName() != "__torch__.torch.classes.c10d.ProcessGroup")
        return nullptr;
    return static_cast<const c10d::ProcessGroup *>(object.getSlot(0).toCapsule().get());
}

/* Reads the group and the rank from an operator's arguments. Returns the group, or nullptr if there
 * is none. */
const c10d::ProcessGroup *read_arguments(GroupInfo &info, Rank rank, size_t n,
                                         const torch::jit::Stack &stack)
{
    const c10d::ProcessGroup *group = nullptr;
    for (size_t i = 0; i < n; i++) {
        const c10::IValue &value = torch::jit::peek(stack, i, n);
        if (!group)
            group = group_of(value);
        else if (rank != Rank::none && info.peer < 0 && value.isInt())
            info.peer = value.toInt();
    }
    return group;
}

std::shared_ptr<GroupInfo> describe_group(const c10::OperatorHandle &op,
                                          const torch::jit::Stack &stack) noexcept
{
    try {
        if (!is_wanted() || !op.hasSchema())
            return nullptr;
        const std::string &name = op.operator_name().name;
        const Rank rank = rank_of(name);
        auto info = std::make_shared<GroupInfo>();
        const c10d::ProcessGroup *group =
            read_arguments(*info, rank, op.schema().arguments().size(), stack);
        if (!group)
            return nullptr;
        info->name = group_name(*group, 0);
        info->size = group->getSize();
        info->number =
            next_number(*group, info->name, rank == Rank::peer || name == "c10d::recv_any_source_");
        return info;
    } catch (...) {
        return nullptr; /* the operation is reported without its group */
    }
}

void note_group(const c10::OperatorHandle &op, c10::DispatchKeySet keys, torch::jit::Stack *stack)
{
    const auto rest = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER,
                                                 c10::DispatchKey::BackendSelect);
    const auto info = describe_group(op, *stack);
    if (!info) {
        op.redispatchBoxed(rest, stack);
        return;
    }
    c10::DebugInfoGuard guard(c10::DebugInfoKind::PARAM_COMMS_INFO, info);
    op.redispatchBoxed(rest, stack);
}

/* Registers the kernel for the rest of the process: it must not be removed while operators run. */
void register_kernel()
{
    static torch::Library *library;
    if (library)
        return;
    auto made = std::make_unique<torch::Library>(torch::Library::IMPL, "c10d",
                                                 c10::DispatchKey::BackendSelect, __FILE__,
                                                 static_cast<uint32_t>(__LINE__));
    for (const GroupOperator &each : group_operators) {
        const auto op = c10::Dispatcher::singleton().findSchema({each.name, ""});
        if (op && !op->hasKernelForDispatchKey(c10::DispatchKey::BackendSelect))
            made->impl(each.name, torch::CppFunction::makeFromBoxedFunction<&note_group>());
    }
    library = made.release();
}

/* ---- the ranges with which process groups mark running operations ---- */

bool is_collective(const at::RecordFunction &function)
{
    static const char *const groups[] = {"gloo:", "mpi:", "nccl:", "ucc:"};
    for (const char *group : groups)
        if (std::strncmp(function.name(), group, std::strlen(group)) == 0)
            /* the ranges of process groups are asynchronous, those of programs are not */
            return function.isAsync();
    return false;
}

const char *element_type(const at::Tensor &tensor)
{
    switch (tensor.scalar_type()) {
    case at::ScalarType::Char:
        return "int8";
    case at::ScalarType::Byte:
        return "uint8";
    case at::ScalarType::Short:
        return "int16";
    case at::ScalarType::Int:
        return "int32";
    case at::ScalarType::Long:
        return "int64";
    case at::ScalarType::Half:
        return "fp16";
    case at::ScalarType::BFloat16:
        return "bfp16";
    case at::ScalarType::Float:
        return "fp32";
    case at::ScalarType::Double:
        return "fp64";
    default:
        return "na";
    }
}

void describe_inputs_of(StrobeTorchCollective &operation, const at::RecordFunction &function)
{
    for (const c10::IValue &input : function.inputs()) {
        if (!input.isTensor() || !is_plain(input.toTensor()))
            continue;
        const at::Tensor &tensor = input.toTensor();
        operation.type = element_type(tensor);
        operation.count += static_cast<uint64_t>(tensor.numel());
        operation.bytes += static_cast<uint64_t>(tensor.nbytes());
    }
}

/* `usual` stores the name of the usual group, if the operation's own group is not known. */
StrobeTorchCollective describe_collective(const at::RecordFunction &function, std::string &usual)
{
    StrobeTorchCollective operation = {};
    operation.title = function.name();
    operation.type = "na";
    operation.peer = -1;
    describe_inputs_of(operation, function);
    const GroupInfo *info = thread_group();
    if (info) {
        operation.group = info->name.empty() ? nullptr : info->name.c_str();
        operation.peer = info->peer;
        operation.size = info->size;
        operation.number = info->number;
    }
    if (!operation.group) {
        std::lock_guard<std::mutex> guard(groups_lock);
        usual = usual_group;
        operation.group = usual.empty() ? nullptr : usual.c_str();
    }
    return operation;
}

struct CollectiveContext final : at::ObserverContext {
    uint64_t ids[STROBE_TORCH_CLIENTS];
};

std::unique_ptr<at::ObserverContext> on_collective(const at::RecordFunction &function) noexcept
{
    try {
        if (!is_collective(function))
            return nullptr;
        std::string usual;
        const StrobeTorchCollective operation = describe_collective(function, usual);
        auto context = std::make_unique<CollectiveContext>();
        bool is_recorded = false;
        for (size_t i = 0; i < STROBE_TORCH_CLIENTS; i++) {
            const auto begin = collective_clients[i].begin.load();
            context->ids[i] = begin ? begin(&operation) : 0;
            is_recorded = is_recorded || context->ids[i];
        }
        if (is_recorded)
            return context;
    } catch (...) {
        /* the operation is not recorded; no exception may reach the program */
    }
    return nullptr;
}

void on_collective_end(const at::RecordFunction &, at::ObserverContext *context) noexcept
{
    const auto *ended = static_cast<const CollectiveContext *>(context);
    for (size_t i = 0; ended && i < STROBE_TORCH_CLIENTS; i++)
        if (ended->ids[i])
            collective_clients[i].end.load()(ended->ids[i]);
}

/* ---- calls of the clients ---- */

std::mutex clients_lock;
at::CallbackHandle collectives_handle = at::INVALID_CALLBACK_HANDLE;

void enable_callback()
{
    if (collectives_handle != at::INVALID_CALLBACK_HANDLE) {
        at::reenableCallback(collectives_handle);
        return;
    }
    collectives_handle =
        at::addGlobalCallback(at::RecordFunctionCallback(on_collective, on_collective_end)
                                  .needsInputs(true)
                                  .scopes({at::RecordScope::USER_SCOPE}));
}

const char *enable_collectives(uint32_t client, uint64_t (*begin)(const StrobeTorchCollective *),
                               void (*end)(uint64_t)) noexcept
{
    try {
        std::lock_guard<std::mutex> guard(clients_lock);
        const bool was_on = is_wanted();
        register_kernel();
        if (!was_on)
            enable_callback();
        collective_clients[client].end = end;
        collective_clients[client].begin = begin;
        return nullptr;
    } catch (...) {
        return "libtorch refused the callback";
    }
}

void disable_collectives(uint32_t client) noexcept
{
    try {
        std::lock_guard<std::mutex> guard(clients_lock);
        collective_clients[client].begin = nullptr;
        if (!is_wanted() && collectives_handle != at::INVALID_CALLBACK_HANDLE)
            at::disableCallback(collectives_handle);
    } catch (...) {
    }
}

/* The debug information stays with the thread until the next call. */
void set_group(const char *name, int64_t peer) noexcept
{
    const auto kind = c10::DebugInfoKind::PARAM_COMMS_INFO;
    try {
        if (given_group && thread_group() == given_group.get())
            c10::ThreadLocalDebugInfo::_pop(kind);
        given_group = nullptr;
        if (!name)
            return;
        auto info = std::make_shared<GroupInfo>();
        info->name = name;
        info->peer = peer;
        c10::ThreadLocalDebugInfo::_push(kind, info);
        given_group = std::move(info);
    } catch (...) {
    }
}

void set_usual_group(const char *name) noexcept
{
    try {
        std::lock_guard<std::mutex> guard(groups_lock);
        usual_group = name ? name : "";
        given_names.clear(); /* a new group may get the address of an old one */
    } catch (...) {
    }
}

} // namespace

extern "C" __attribute__((visibility("default")))
const StrobeTorchCollectives strobe_torch_collectives_2;
const StrobeTorchCollectives strobe_torch_collectives_2 = {sizeof(StrobeTorchCollectives),
                                                           0,
                                                           enable_collectives,
                                                           disable_collectives,
                                                           set_group,
                                                           set_usual_group};
