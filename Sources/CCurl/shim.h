#pragma once
#include <curl/curl.h>

// Swift cannot call variadic C functions, so each option type has one plain function here, which does nothing else.

static inline CURLcode retriever_easy_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode retriever_easy_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode retriever_easy_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode retriever_easy_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode retriever_easy_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode retriever_easy_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return curl_easy_setopt(handle, option, &blob);
}
typedef size_t (*retriever_data_function)(char *, size_t, size_t, void *);
static inline CURLcode retriever_easy_set_data_function(
    CURL *handle, CURLoption option, retriever_data_function function) {
  return curl_easy_setopt(handle, option, function);
}
static inline CURLcode retriever_easy_set_seek_function(CURL *handle, curl_seek_callback function) {
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, function);
}
static inline CURLcode retriever_easy_set_open_socket_function(
    CURL *handle, curl_opensocket_callback function) {
  return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
}
static inline CURLcode retriever_easy_set_close_socket_function(
    CURL *handle, curl_closesocket_callback function) {
  return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, function);
}
static inline CURLcode retriever_easy_set_prereq_function(CURL *handle, curl_prereq_callback function) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}
static inline CURLcode retriever_easy_set_ssl_context_function(CURL *handle, curl_ssl_ctx_callback function) {
  return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, function);
}
static inline CURLSHcode retriever_share_tls_sessions(CURLSH *share) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
}
static inline CURLcode retriever_easy_get_tls(CURL *handle, struct curl_tlssessioninfo **info) {
  return curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, info);
}
static inline CURLcode retriever_easy_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode retriever_easy_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode retriever_easy_get_string(CURL *handle, CURLINFO info, const char **value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode retriever_easy_get_pointer(CURL *handle, CURLINFO info, void **value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLMcode retriever_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode retriever_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode retriever_multi_set_socket_function(CURLM *multi, curl_socket_callback function) {
  return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}
static inline CURLMcode retriever_multi_set_timer_function(CURLM *multi, curl_multi_timer_callback function) {
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}
static inline CURLcode retriever_message_result(const CURLMsg *message) { return message->data.result; }
