#ifndef UTIL_CPU_H
#define UTIL_CPU_H
#include <stdbool.h>

/*
 * May code for AVX2, with PCLMULQDQ, POPCNT, BMI and BMI2, be run? False on
 * other processors than x86-64. Cheap enough to ask for every call.
 */
bool cpu_has_avx2(void);
#endif
