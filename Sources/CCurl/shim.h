#ifndef KEYCHAIN_SYNC_CCURL_H
#define KEYCHAIN_SYNC_CCURL_H

#include <curl/curl.h>

#endif
