#include "roost_loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

bool roost_library_load(struct roost_library *library) {
    if (atomic_load_explicit(&library->handle, memory_order_acquire) != NULL) return true;
    // If two threads load the library at the same time, both get the same handle.
    void *handle = dlopen(library->name, RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) return false;
    atomic_store_explicit(&library->handle, handle, memory_order_release);
    return true;
}

void *roost_library_function(struct roost_library *library, const char *name, _Atomic(void *) *function) {
    void *address = atomic_load_explicit(function, memory_order_acquire);
    if (address != NULL) return address;
    if (roost_library_load(library)) {
        void *handle = atomic_load_explicit(&library->handle, memory_order_acquire);
        address = dlsym(handle, name);
    }
    if (address == NULL) {
        fprintf(stderr, "roost: %s has no function %s\n", library->name, name);
        abort();
    }
    atomic_store_explicit(function, address, memory_order_release);
    return address;
}
