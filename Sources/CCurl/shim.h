#include <curl/curl.h>
#include <fcntl.h>
#include <sys/socket.h>

// The variadic functions of libcurl, which Swift cannot call, with one type of argument each.

typedef size_t (*roost_curl_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*roost_curl_seek)(void *context, curl_off_t offset, int origin);

static inline CURLcode roost_curl_set_number(CURL *curl, CURLoption option, long value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode roost_curl_set_size(CURL *curl, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode roost_curl_set_text(CURL *curl, CURLoption option, const char *value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode roost_curl_set_list(CURL *curl, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode roost_curl_set_context(CURL *curl, CURLoption option, void *value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode roost_curl_set_callback(CURL *curl, CURLoption option, roost_curl_callback value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode roost_curl_set_seek(CURL *curl, roost_curl_seek value) {
    return curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, value);
}
// Opens a socket that other programs do not inherit.
static inline curl_socket_t roost_curl_open_socket(
    void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    curl_socket_t opened = socket(address->family, address->socktype, address->protocol);
    if (opened != CURL_SOCKET_BAD) fcntl(opened, F_SETFD, FD_CLOEXEC);
    return opened;
}
static inline CURLcode roost_curl_close_on_exec(CURL *curl) {
    return curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, roost_curl_open_socket);
}
typedef int (*roost_curl_prerequest)(
    void *context, char *address, char *local_address, int port, int local_port);
static inline CURLcode roost_curl_set_prerequest(CURL *curl, roost_curl_prerequest value) {
    return curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode roost_curl_get_number(CURL *curl, CURLINFO info, long *value) {
    return curl_easy_getinfo(curl, info, value);
}
static inline CURLcode roost_curl_get_context(CURL *curl, void **value) {
    return curl_easy_getinfo(curl, CURLINFO_PRIVATE, value);
}
// The result of a finished transfer; the union in CURLMsg has a member that Swift cannot read.
static inline CURLcode roost_curl_result(const CURLMsg *message) { return message->data.result; }
