#ifndef KEYCHAIN_SYNC_COPENSSL_H
#define KEYCHAIN_SYNC_COPENSSL_H

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/// EVP_EC_gen is a macro around a variadic function, neither of which Swift can import.
static inline EVP_PKEY *keychain_sync_generate_p256(void) {
    return EVP_EC_gen("P-256");
}

// OpenSSL 3 wants hashes to go through EVP, whose contexts live on its heap: copying one takes
// longer than hashing a short text. These three are the same code below it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline int keychain_sync_sha256_begin(SHA256_CTX *state) {
    return SHA256_Init(state);
}

static inline int keychain_sync_sha256_update(SHA256_CTX *state, const void *bytes, size_t count) {
    return SHA256_Update(state, bytes, count);
}

/// Writes 32 bytes.
static inline int keychain_sync_sha256_finish(SHA256_CTX *state, unsigned char *target) {
    return SHA256_Final(target, state);
}
#pragma GCC diagnostic pop

/// How often a passphrase is hashed for these parameters of PBES1 or PBES2 (RFC 8018); -1 when they
/// say something else. Its structures are known to OpenSSL's own templates only.
static inline int64_t keychain_sync_pbe_iterations(const X509_ALGOR *algorithm) {
    const ASN1_OBJECT *object = NULL;
    int type = 0;
    const void *value = NULL;
    X509_ALGOR_get0(&object, &type, &value, algorithm);
    if (type != V_ASN1_SEQUENCE || value == NULL) return -1;
    int64_t count = -1;
    if (OBJ_obj2nid(object) == NID_pbes2) {
        PBE2PARAM *outer = (PBE2PARAM *)ASN1_item_unpack(value, ASN1_ITEM_rptr(PBE2PARAM));
        if (outer == NULL) return -1;
        X509_ALGOR_get0(&object, &type, &value, outer->keyfunc);
        if (type == V_ASN1_SEQUENCE && value != NULL && OBJ_obj2nid(object) == NID_id_pbkdf2) {
            PBKDF2PARAM *inner =
                (PBKDF2PARAM *)ASN1_item_unpack(value, ASN1_ITEM_rptr(PBKDF2PARAM));
            if (inner != NULL) {
                if (ASN1_INTEGER_get_int64(&count, inner->iter) != 1) count = -1;
                PBKDF2PARAM_free(inner);
            }
        }
        PBE2PARAM_free(outer);
    } else {
        PBEPARAM *only = (PBEPARAM *)ASN1_item_unpack(value, ASN1_ITEM_rptr(PBEPARAM));
        if (only == NULL) return -1;
        if (ASN1_INTEGER_get_int64(&count, only->iter) != 1) count = -1;
        PBEPARAM_free(only);
    }
    return count;
}

/// The parameters under which a part of a PKCS#12 file is encrypted; NULL when it is not.
static inline const X509_ALGOR *keychain_sync_pkcs7_algorithm(const PKCS7 *part) {
    if (!PKCS7_type_is_encrypted(part) || part->d.encrypted == NULL
        || part->d.encrypted->enc_data == NULL)
        return NULL;
    return part->d.encrypted->enc_data->algorithm;
}

/// The certificates of a signed message; NULL when it is another one, or has none. They stand in a
/// union.
static inline const STACK_OF(X509) *keychain_sync_pkcs7_certificates(const PKCS7 *message) {
    if (!PKCS7_type_is_signed(message) || message->d.sign == NULL) return NULL;
    return message->d.sign->cert;
}

/// A signed message that says nothing and that nobody has signed, to put certificates in.
static inline PKCS7 *keychain_sync_pkcs7_without_content(void) {
    PKCS7 *message = PKCS7_new();
    if (message == NULL) return NULL;
    if (PKCS7_set_type(message, NID_pkcs7_signed) != 1) {
        PKCS7_free(message);
        return NULL;
    }
    message->d.sign->contents->type = OBJ_nid2obj(NID_pkcs7_data);
    return message;
}

/// PKCS7_type_is_data is a macro.
static inline int keychain_sync_pkcs7_is_data(const PKCS7 *part) {
    return PKCS7_type_is_data(part);
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
