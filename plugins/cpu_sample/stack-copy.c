/* SPDX-License-Identifier: Apache-2.0 */
#include "stack-copy.h"

#include <asm/perf_regs.h>
#include <string.h>

/* The kernel's numbers of the registers, indexed by DWARF's numbers. In the event the registers are
 * in the order of the kernel's numbers. */
#if defined(__x86_64__)
static const uint8_t dwarf_registers[] = {
    PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,  PERF_REG_X86_SI,
    PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,  PERF_REG_X86_R9,
    PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
    PERF_REG_X86_R15, PERF_REG_X86_IP};
#define STACK_REGISTER PERF_REG_X86_SP
#define PC_REGISTER PERF_REG_X86_IP
#define ABI PERF_SAMPLE_REGS_ABI_64
#elif defined(__aarch64__)
static const uint8_t dwarf_registers[] = {
    PERF_REG_ARM64_X0,  PERF_REG_ARM64_X1,  PERF_REG_ARM64_X2,  PERF_REG_ARM64_X3,
    PERF_REG_ARM64_X4,  PERF_REG_ARM64_X5,  PERF_REG_ARM64_X6,  PERF_REG_ARM64_X7,
    PERF_REG_ARM64_X8,  PERF_REG_ARM64_X9,  PERF_REG_ARM64_X10, PERF_REG_ARM64_X11,
    PERF_REG_ARM64_X12, PERF_REG_ARM64_X13, PERF_REG_ARM64_X14, PERF_REG_ARM64_X15,
    PERF_REG_ARM64_X16, PERF_REG_ARM64_X17, PERF_REG_ARM64_X18, PERF_REG_ARM64_X19,
    PERF_REG_ARM64_X20, PERF_REG_ARM64_X21, PERF_REG_ARM64_X22, PERF_REG_ARM64_X23,
    PERF_REG_ARM64_X24, PERF_REG_ARM64_X25, PERF_REG_ARM64_X26, PERF_REG_ARM64_X27,
    PERF_REG_ARM64_X28, PERF_REG_ARM64_X29, PERF_REG_ARM64_LR,  PERF_REG_ARM64_SP};
#define STACK_REGISTER PERF_REG_ARM64_SP
#define PC_REGISTER PERF_REG_ARM64_PC
#define ABI PERF_SAMPLE_REGS_ABI_64
#else
static const uint8_t dwarf_registers[1];
#define STACK_REGISTER 0
#define PC_REGISTER 0
#define ABI UINT64_MAX
#endif

uint64_t stack_copy_registers(void)
{
    uint64_t mask = 0;

    for (size_t i = 0; i != UNWIND_REGISTERS_SENT; i++)
        mask |= 1ull << dwarf_registers[i];
    return mask ? mask | 1ull << PC_REGISTER : 0;
}

/* Returns the index in the event of the register with this kernel number. */
static size_t place_of(unsigned number)
{
    return (size_t)__builtin_popcountll(stack_copy_registers() & ((1ull << number) - 1));
}

static void take_registers(UnwindRegisters *registers, const uint64_t *values)
{
    for (size_t i = 0; i != UNWIND_REGISTERS_SENT; i++)
        registers->values[i] = values[place_of(dwarf_registers[i])];
    registers->stack = values[place_of(STACK_REGISTER)];
    registers->pc = values[place_of(PC_REGISTER)];
}

/* Reads the part of the event after the chain: the ABI, the registers, the size of the copy, the
 * copy, and the number of its valid bytes. */
int stack_copy_read(const Sample *sample, StackCopy *copy)
{
    const uint64_t *word = sample->addresses + sample->n_addresses;
    const uint64_t *end =
        (const uint64_t *)(const void *)((const char *)sample + sample->header.size / 8 * 8);
    const size_t n_registers = (size_t)__builtin_popcountll(stack_copy_registers());

    if (end < word || (size_t)(end - word) < n_registers + 3 || word[0] != ABI)
        return 0;
    memset(copy, 0, sizeof *copy);
    take_registers(&copy->registers, word + 1);
    word += 1 + n_registers;
    const uint64_t room = *word++;
    if (room == 0 || room % 8 || room / 8 + 1 > (uint64_t)(end - word))
        return 0;
    const uint64_t n = word[room / 8];
    copy->bytes = (const char *)word;
    copy->n_bytes = (size_t)(n < room ? n : room);
    return 1;
}
