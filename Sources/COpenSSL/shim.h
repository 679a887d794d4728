#ifndef KEYCHAIN_SYNC_COPENSSL_H
#define KEYCHAIN_SYNC_COPENSSL_H

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/// EVP_EC_gen is a macro around a variadic function, neither of which Swift can import.
static inline EVP_PKEY *keychain_sync_generate_p256(void) {
    return EVP_EC_gen("P-256");
}

/// X509V3_set_ctx_nodb is a macro with an assignment.
static inline X509_EXTENSION *keychain_sync_extension(
    X509 *certificate, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    X509V3_set_ctx_nodb(&context);
    return X509V3_EXT_conf_nid(NULL, &context, nid, value);
}

#endif
