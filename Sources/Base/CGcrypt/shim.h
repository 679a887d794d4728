#ifndef KEYCHAIN_SYNC_CGCRYPT_H
#define KEYCHAIN_SYNC_CGCRYPT_H

#include <gcrypt.h>

/// Prepares the library, once before it is used; 0 if it is too old. gcry_control is variadic. The
/// ciphers here take keys from ordinary memory, so its locked memory is of no use.
static inline int keychain_sync_gcrypt_begin(void) {
    if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) return 1;
    if (gcry_check_version("1.8.0") == NULL) return 0;
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return 1;
}

#endif
