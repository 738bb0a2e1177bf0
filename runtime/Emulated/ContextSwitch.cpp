// A suspended context is its stack pointer; below it lie, from low to high address: mxcsr, x87 control word (together
// 8 bytes), r15, r14, r13, r12, rbx, rbp, and the address to go on at.
#include "runtime/Emulated/ContextSwitch.h"
#include <cstdint>

#if !defined(__x86_64__)
#error "the emulated device runs kernels compiled to x86-64"
#endif

// Loading a control word is slow and nearly always a repetition, so each is compared first; the exception flags of
// mxcsr (its low six bits) belong to no one and are left alone. The jump through rdx instead of `ret` keeps the return
// predictor from learning addresses of another stack.
asm(R"(
        .pushsection .text, "ax", @progbits
        .p2align 4
        .globl  cufortEmuSwitchContext
        .hidden cufortEmuSwitchContext
        .type   cufortEmuSwitchContext, @function
cufortEmuSwitchContext:
        .cfi_startproc
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        .cfi_def_cfa_offset 64
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movl    (%rsp), %eax
        movzwl  4(%rsp), %ecx
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        xorl    (%rsp), %eax
        testl   $0xffc0, %eax
        jne     2f
1:      cmpw    4(%rsp), %cx
        jne     3f
4:      addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        popq    %rdx
        .cfi_def_cfa_offset 0
        .cfi_register %rip, %rdx
        jmp     *%rdx
2:      .cfi_def_cfa_offset 64
        .cfi_restore %rip
        ldmxcsr (%rsp)
        jmp     1b
3:      fldcw   4(%rsp)
        jmp     4b
        .cfi_endproc
        .size   cufortEmuSwitchContext, .-cufortEmuSwitchContext

        .p2align 4
        .globl  cufortEmuStartContext
        .hidden cufortEmuStartContext
        .type   cufortEmuStartContext, @function
cufortEmuStartContext:
        .cfi_startproc
        .cfi_undefined %rip
        movq    %r12, %rdi
        call    *%r13
        ud2
        .cfi_endproc
        .size   cufortEmuStartContext, .-cufortEmuStartContext
        .popsection
)");

extern "C" void cufortEmuStartContext();

namespace cufort::rt::emulated {

void *makeContext(char *stackTop, void (*entry)(void *), void *argument) {
  // The start code calls `entry` with an aligned stack, and finds a zero where a debugger looks for a caller.
  auto *frame = reinterpret_cast<uint64_t *>((reinterpret_cast<uintptr_t>(stackTop) & ~uintptr_t(15)) - 80);
  uint32_t mxcsr;
  uint16_t x87;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(x87));
  frame[0] = mxcsr | uint64_t(x87) << 32;
  frame[1] = 0;                                    // r15
  frame[2] = 0;                                    // r14
  frame[3] = reinterpret_cast<uint64_t>(entry);    // r13
  frame[4] = reinterpret_cast<uint64_t>(argument); // r12
  frame[5] = 0;                                    // rbx
  frame[6] = 0;                                    // rbp
  frame[7] = reinterpret_cast<uint64_t>(&cufortEmuStartContext);
  frame[8] = 0;
  frame[9] = 0;
  return frame;
}

} // namespace cufort::rt::emulated
