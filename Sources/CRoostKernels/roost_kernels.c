#include "roost_kernels.h"

#include <stdlib.h>
#include <string.h>

int roost_is_portable(void) {
    /* 0 before the first call, 1 for no, 2 for yes. Threads may race to write it, but all of them write the same value. */
    static int state;
    int known = __atomic_load_n(&state, __ATOMIC_RELAXED);
    if (!known) {
        const char *kernels = getenv("ROOST_KERNELS");
        known = kernels && strcmp(kernels, "portable") == 0 ? 2 : 1;
        __atomic_store_n(&state, known, __ATOMIC_RELAXED);
    }
    return known == 2;
}

/* The compiler emits one variant for each instruction set; the dynamic loader selects one (GNU ifunc). Other
   platforms have a single variant. */
#if defined(__x86_64__) && defined(__linux__) && defined(__clang__)
#define WIDEST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WIDEST
#endif

WIDEST float roost_dot(const float *a, const float *b, size_t count) {
    _Pragma("clang fp reassociate(on) contract(fast)")
    float sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}
