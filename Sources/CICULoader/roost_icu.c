#include "roost_icu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

// The functions of unicode/ubrk.h. Their names end with the version of ICU, so they are looked up at run time.
typedef void *(*open_function)(int type, const char *locale, const uint16_t *text, int32_t length, int *status);
typedef int32_t (*next_function)(void *iterator);
typedef void (*close_function)(void *iterator);

enum { WORD = 1, DONE = -1, NEWEST = 99, OLDEST = 50 };

static open_function open_words;
static next_function next_word;
static close_function close_words;

// Looks up the functions with a suffix such as "_72". Returns whether all exist.
static int look_up(void *library, const char *suffix) {
    char name[32];
    snprintf(name, sizeof name, "ubrk_open%s", suffix);
    open_words = (open_function)dlsym(library, name);
    snprintf(name, sizeof name, "ubrk_next%s", suffix);
    next_word = (next_function)dlsym(library, name);
    snprintf(name, sizeof name, "ubrk_close%s", suffix);
    close_words = (close_function)dlsym(library, name);
    return open_words != NULL && next_word != NULL && close_words != NULL;
}

static void load(void) {
#if defined(__APPLE__)
    void *library = dlopen("libicucore.dylib", RTLD_LAZY | RTLD_LOCAL);
    if (library != NULL && !look_up(library, "")) open_words = NULL;
#else
    for (int version = NEWEST; version >= OLDEST; version--) {
        char name[32], suffix[8];
        snprintf(name, sizeof name, "libicuuc.so.%d", version);
        void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        if (library == NULL) continue;
        snprintf(suffix, sizeof suffix, "_%d", version);
        if (look_up(library, suffix)) return;
        dlclose(library);
    }
    open_words = NULL;
#endif
}

int32_t roost_word_ends(const uint16_t *text, int32_t length, int32_t *ends) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (open_words == NULL) return -1;
    int status = 0;
    void *iterator = open_words(WORD, "", text, length, &status);
    // Negative codes are warnings.
    if (iterator == NULL || status > 0) return -1;
    int32_t count = 0;
    for (int32_t end = next_word(iterator); end != DONE && count < length; end = next_word(iterator)) {
        ends[count++] = end;
    }
    close_words(iterator);
    return count;
}
