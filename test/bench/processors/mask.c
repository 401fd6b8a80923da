/* Answers in place of the instruction that asks the processor for its features, without some of them. The instruction
 * (cpuid) was replaced, in a copy of the runtime, by an illegal one of the same length (ud2).
 * $LANDMARK_MASK: vnni, avx512 (and vnni) or avx (and the others). */
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define BIT(n) (1u << (n))

enum { NOTHING, VNNI, AVX512, AVX };
static int masked = NOTHING;

static void answer(int number, siginfo_t *info, void *context) {
  (void)info;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  const unsigned char *at = (const unsigned char *)registers[REG_RIP];
  if (at[0] != 0x0f || at[1] != 0x0b) {
    signal(number, SIG_DFL);
    return;
  }
  const unsigned leaf = (unsigned)registers[REG_RAX], part = (unsigned)registers[REG_RCX];
  unsigned a, b, c, d;
  __cpuid_count(leaf, part, a, b, c, d);
  if (leaf == 1 && masked >= AVX) c &= ~(BIT(12) | BIT(28) | BIT(29)); /* FMA, AVX, F16C */
  if (leaf == 7 && part == 0) {
    if (masked >= VNNI) {
      c &= ~BIT(11);                        /* AVX512_VNNI */
      d &= ~(BIT(22) | BIT(24) | BIT(25)); /* AMX */
    }
    if (masked >= AVX512) {
      b &= ~(BIT(16) | BIT(17) | BIT(21) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | BIT(31));
      c &= ~(BIT(1) | BIT(6) | BIT(12) | BIT(14));
      d &= ~(BIT(2) | BIT(3) | BIT(8) | BIT(23));
    }
    if (masked >= AVX) b &= ~BIT(5); /* AVX2 */
  }
  if (leaf == 7 && part == 1) {
    if (masked >= VNNI) {
      a &= ~BIT(4);              /* AVX_VNNI */
      d &= ~(BIT(4) | BIT(10)); /* its forms for bytes and words */
    }
    if (masked >= AVX512) a &= ~BIT(5); /* AVX512_BF16 */
    if (masked >= AVX) a &= ~BIT(23);   /* AVX_IFMA */
  }
  registers[REG_RAX] = a;
  registers[REG_RBX] = b;
  registers[REG_RCX] = c;
  registers[REG_RDX] = d;
  registers[REG_RIP] += 2;
}

__attribute__((constructor)) static void install(void) {
  const char *mask = getenv("LANDMARK_MASK");
  if (mask == NULL) return;
  masked = !strcmp(mask, "vnni") ? VNNI : !strcmp(mask, "avx512") ? AVX512 : !strcmp(mask, "avx") ? AVX : NOTHING;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = answer;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGILL, &action, NULL);
}
