/*
 * curl - libcurl's handles. When memory ends in one, the program does (71), as
 * everywhere else.
 */
#ifndef NOTIFY_CURL_H
#define NOTIFY_CURL_H

#include <curl/curl.h>

/* For curl_easy_cleanup; never NULL. The first call sets libcurl up, which
 * is for a single thread. */
CURL *curl_handle(void);

#endif
