#ifndef KEYCHAIN_SYNC_CCURL_H
#define KEYCHAIN_SYNC_CCURL_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call: one shim for each
// type of argument.

static inline CURLcode keychain_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode keychain_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode keychain_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode keychain_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode keychain_curl_set_body(CURL *easy, const void *bytes) {
    return curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, (const char *)bytes);
}

static inline CURLcode keychain_curl_set_headers(CURL *easy, struct curl_slist *headers) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
}

typedef size_t (*keychain_curl_receive)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode keychain_curl_set_receive(CURL *easy, CURLoption option,
                                                 keychain_curl_receive receive) {
    return curl_easy_setopt(easy, option, receive);
}

typedef int (*keychain_curl_before_request)(void *context, char *remote_address,
                                            char *local_address, int remote_port, int local_port);

static inline CURLcode keychain_curl_set_before_request(CURL *easy,
                                                        keychain_curl_before_request before) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before);
}

typedef int (*keychain_curl_close)(void *context, curl_socket_t socket);

static inline CURLcode keychain_curl_set_close(CURL *easy, keychain_curl_close close) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
}

typedef int (*keychain_curl_new_socket)(void *context, curl_socket_t socket,
                                        curlsocktype purpose);

static inline CURLcode keychain_curl_set_new_socket(CURL *easy, keychain_curl_new_socket opened) {
    return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, opened);
}

// How long what was sent may stay unconfirmed before the system gives the connection up. Its own
// limit is 15 minutes.
static inline int keychain_limit_unconfirmed(curl_socket_t socket, unsigned int milliseconds) {
    return setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof(milliseconds));
}

// How many bytes of the transfer's body the other end has confirmed: what was handed to the
// system, without what is still in the socket's buffer.
static inline curl_off_t keychain_curl_confirmed(CURL *easy) {
    curl_off_t sent = 0;
    curl_socket_t socket = CURL_SOCKET_BAD;
    int queued = 0;
    if (curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &sent) != CURLE_OK) return 0;
    if (curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket) != CURLE_OK) return 0;
    if (socket == CURL_SOCKET_BAD || ioctl(socket, TIOCOUTQ, &queued) != 0) return 0;
    return sent - queued;
}

static inline CURLcode keychain_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

// The socket of the connection a transfer uses, or -1.
static inline curl_socket_t keychain_curl_socket(CURL *easy) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? socket : -1;
}

// A struct pointer among the union of curl_easy_getinfo's results: Swift needs its type.
static inline struct curl_certinfo *keychain_curl_certificates(CURL *easy) {
    struct curl_certinfo *certificates = NULL;
    return curl_easy_getinfo(easy, CURLINFO_CERTINFO, &certificates) == CURLE_OK ? certificates
                                                                                 : NULL;
}

// The result of a finished transfer sits in a union, which Swift imports without its cases.
static inline CURLcode keychain_curl_result(const CURLMsg *message) { return message->data.result; }

#endif
