#include "roost_curl.h"

#include <stddef.h>

#if defined(__linux__)

// Without macros in place of the functions.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo
#include <stdarg.h>

#include "roost_loader.h"

static struct roost_library library = {
    .names = {"libcurl.so.4"},
    .probe = "curl_multi_wakeup",
};

const char *roost_curl_load(void) { return roost_library_load(&library); }

FORWARD(CURLcode, curl_global_init, (long flags), (flags))
FORWARD(struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *data), (list, data))
FORWARD(void, curl_slist_free_all, (struct curl_slist *list), (list))
FORWARD(const char *, curl_easy_strerror, (CURLcode value), (value))
FORWARD(CURL *, curl_easy_init, (void), ())
FORWARD(void, curl_easy_cleanup, (CURL *curl), (curl))
FORWARD(CURLM *, curl_multi_init, (void), ())
FORWARD(
    CURLMcode, curl_multi_add_handle,
    (CURLM *multi_handle, CURL *curl_handle),
    (multi_handle, curl_handle))
FORWARD(
    CURLMcode, curl_multi_remove_handle,
    (CURLM *multi_handle, CURL *curl_handle),
    (multi_handle, curl_handle))
FORWARD(
    CURLMcode, curl_multi_poll,
    (CURLM *multi_handle, struct curl_waitfd extra_fds[], unsigned int extra_nfds, int timeout_ms, int *ret),
    (multi_handle, extra_fds, extra_nfds, timeout_ms, ret))
FORWARD(CURLMcode, curl_multi_wakeup, (CURLM *multi_handle), (multi_handle))
FORWARD(
    CURLMcode, curl_multi_perform,
    (CURLM *multi_handle, int *running_handles),
    (multi_handle, running_handles))
FORWARD(
    CURLMsg *, curl_multi_info_read,
    (CURLM *multi_handle, int *msgs_in_queue),
    (multi_handle, msgs_in_queue))
FORWARD(CURLU *, curl_url, (void), ())
FORWARD(void, curl_url_cleanup, (CURLU *handle), (handle))
FORWARD(
    CURLUcode, curl_url_set,
    (CURLU *handle, CURLUPart what, const char *part, unsigned int flags),
    (handle, what, part, flags))
FORWARD(
    CURLUcode, curl_url_get,
    (CURLU *handle, CURLUPart what, char **part, unsigned int flags),
    (handle, what, part, flags))
FORWARD(void, curl_free, (void *p), (p))

// The functions with a variable argument, whose type follows from the option.

typedef CURLcode set_option(CURL *curl, CURLoption option, ...);
typedef CURLcode get_info(CURL *curl, CURLINFO info, ...);

__attribute__((visibility("hidden"))) CURLcode curl_easy_setopt(CURL *curl, CURLoption option, ...) {
    static _Atomic(void *) function;
    set_option *forward = roost_library_function(&library, "curl_easy_setopt", &function);
    CURLcode result;
    va_list arguments;
    va_start(arguments, option);
    if (option < CURLOPTTYPE_OBJECTPOINT) {
        result = forward(curl, option, va_arg(arguments, long));
    } else if (option >= CURLOPTTYPE_OFF_T && option < CURLOPTTYPE_BLOB) {
        result = forward(curl, option, va_arg(arguments, curl_off_t));
    } else {
        result = forward(curl, option, va_arg(arguments, void *));
    }
    va_end(arguments);
    return result;
}

__attribute__((visibility("hidden"))) CURLcode curl_easy_getinfo(CURL *curl, CURLINFO info, ...) {
    static _Atomic(void *) function;
    get_info *forward = roost_library_function(&library, "curl_easy_getinfo", &function);
    va_list arguments;
    va_start(arguments, info);
    CURLcode result = forward(curl, info, va_arg(arguments, void *));
    va_end(arguments);
    return result;
}

#else

// On other systems, the program is linked to the library.
const char *roost_curl_load(void) { return NULL; }

#endif
