/*
 * cpu.c - which vector instructions this processor has
 *
 * Why:    __builtin_cpu_supports() runs CPUID a dozen times when the program
 *         starts. Under a hypervisor each is a trap of some microseconds, so
 *         that it costs a small merge more than opening a file does.
 * How:    the dynamic loader has asked already, glibc from 2.33 on tells; the
 *         compiler's way is for other libraries.
 */
#include <stdatomic.h>
#include "util/cpu.h"

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

static bool ask(void)
{
#if defined(CPU_FEATURE_ACTIVE)
	return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(PCLMULQDQ) &&
	       CPU_FEATURE_ACTIVE(POPCNT) && CPU_FEATURE_ACTIVE(BMI1) &&
	       CPU_FEATURE_ACTIVE(BMI2);
#elif defined(__x86_64__)
	return __builtin_cpu_supports("avx2") &&
	       __builtin_cpu_supports("pclmul") &&
	       __builtin_cpu_supports("popcnt") &&
	       __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("bmi2");
#else
	return false;
#endif
}

bool cpu_has_avx2(void)
{
	static atomic_int known;	/* 0 not asked yet, 1 no, 2 yes */
	int answer = atomic_load_explicit(&known, memory_order_relaxed);

	if (!answer) {
		answer = ask() ? 2 : 1;
		atomic_store_explicit(&known, answer, memory_order_relaxed);
	}
	return answer == 2;
}
