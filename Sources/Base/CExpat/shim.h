#ifndef KEYCHAIN_SYNC_CEXPAT_H
#define KEYCHAIN_SYNC_CEXPAT_H

#include <expat.h>

#endif
