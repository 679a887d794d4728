#ifndef KEYCHAIN_SYNC_CARGON2_H
#define KEYCHAIN_SYNC_CARGON2_H

#include <argon2.h>

#endif
