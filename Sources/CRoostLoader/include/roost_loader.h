#ifndef ROOST_LOADER_H
#define ROOST_LOADER_H

#include <stdatomic.h>
#include <stdbool.h>

/// A shared library that the process loads when it is first used, which shortens the start of the program:
/// most commands need none of these libraries.
struct roost_library {
    /// The name of the file, which is searched for like that of a library to which a program is linked.
    const char *name;
    /// The handle of the loaded library, or NULL.
    _Atomic(void *) handle;
};

/// Loads a library unless it is loaded. Threads may call this function at the same time.
///
/// Returns false if the library is missing or cannot be loaded.
bool roost_library_load(struct roost_library *library);

/// Returns a function of a library, which is loaded if necessary, and stores its address in `function`.
/// Ends the process if the library or the function is missing: callers first check the result of
/// `roost_library_load`.
void *roost_library_function(struct roost_library *library, const char *name, _Atomic(void *) *function);

/// Defines a function that calls the function of the same name in `library`, a variable of the file. The
/// definition is hidden: the library must find its own function under this name.
#define FORWARD(result, name, parameters, arguments)                                                  \
    __attribute__((visibility("hidden"))) result name parameters {                                    \
        static _Atomic(void *) function;                                                              \
        return ((result(*) parameters)roost_library_function(&library, #name, &function)) arguments;  \
    }

#endif
