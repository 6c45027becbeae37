#ifndef ROOST_LOADER_H
#define ROOST_LOADER_H

#include <stdatomic.h>

/// A shared library that the process loads when it is first used, which shortens the start of the program:
/// most commands need none of these libraries.
struct roost_library {
    /// The names of the file in different distributions, in the order in which they are tried, and NULL. Each
    /// is searched for like a library to which a program is linked.
    const char *names[4];
    /// The newest of the functions that Roost calls. A library without it is not used.
    const char *probe;
    /// The handle of the loaded library, or NULL.
    _Atomic(void *) handle;
};

/// Loads a library unless it is loaded, or the program is linked to it. Threads may call this function at the
/// same time.
///
/// Returns NULL, or the reason why the library cannot be used. The text is valid until the thread calls this
/// function again.
const char *roost_library_load(struct roost_library *library);

/// Returns a symbol of a library that is loaded, or NULL if the library does not define it.
void *roost_library_symbol(struct roost_library *library, const char *name);

/// Returns a function of a library, which is loaded if necessary, and stores its address in `function`. Ends
/// the process if the library or the function is missing: callers first check the result of
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
