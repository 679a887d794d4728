#ifndef KEYCHAIN_SYNC_COPENSSL_H
#define KEYCHAIN_SYNC_COPENSSL_H

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#endif
