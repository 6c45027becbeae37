#include "roost_loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// Returns a handle of the program and the libraries to which it is linked, if one of them defines a function.
static void *linked(const char *name) {
    void *program = dlopen(NULL, RTLD_LAZY);
    return program != NULL && dlsym(program, name) != NULL ? program : NULL;
}

const char *roost_library_load(struct roost_library *library) {
    static _Thread_local char reason[256];
    if (atomic_load_explicit(&library->handle, memory_order_acquire) != NULL) return NULL;
    void *handle = linked(library->probe);
    reason[0] = 0;
    for (const char **name = library->names; handle == NULL && *name != NULL; name++) {
        // If two threads load the library at the same time, both get the same handle.
        handle = dlopen(*name, RTLD_LAZY | RTLD_LOCAL);
        if (handle == NULL) {
            const char *message = dlerror();
            if (reason[0] == 0) snprintf(reason, sizeof reason, "%s", message ? message : *name);
        } else if (dlsym(handle, library->probe) == NULL) {
            snprintf(reason, sizeof reason, "%s: it has no function %s", *name, library->probe);
            dlclose(handle);
            handle = NULL;
        }
    }
    if (handle == NULL) return reason;
    atomic_store_explicit(&library->handle, handle, memory_order_release);
    return NULL;
}

void *roost_library_symbol(struct roost_library *library, const char *name) {
    void *handle = atomic_load_explicit(&library->handle, memory_order_acquire);
    return handle == NULL ? NULL : dlsym(handle, name);
}

void *roost_library_function(struct roost_library *library, const char *name, _Atomic(void *) *function) {
    void *address = atomic_load_explicit(function, memory_order_acquire);
    if (address != NULL) return address;
    if (roost_library_load(library) == NULL) address = roost_library_symbol(library, name);
    if (address == NULL) {
        fprintf(stderr, "roost: %s has no function %s\n", library->names[0], name);
        abort();
    }
    atomic_store_explicit(function, address, memory_order_release);
    return address;
}
