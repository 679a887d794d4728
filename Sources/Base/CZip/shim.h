#ifndef KEYCHAIN_SYNC_CZIP_H
#define KEYCHAIN_SYNC_CZIP_H

#include <zip.h>

#endif
