#ifndef KEYCHAIN_SYNC_CZLIB_H
#define KEYCHAIN_SYNC_CZLIB_H

#include <zlib.h>

/// The windowBits of gzip (RFC 1952) with the largest window; zlib.h explains the number.
#define KEYCHAIN_SYNC_GZIP_BITS (15 + 16)

/// inflateInit2 is a macro.
static inline int keychain_sync_inflate_begin(z_stream *stream) {
    return inflateInit2(stream, KEYCHAIN_SYNC_GZIP_BITS);
}

/// deflateInit2 is a macro.
static inline int keychain_sync_deflate_begin(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, KEYCHAIN_SYNC_GZIP_BITS, 8,
        Z_DEFAULT_STRATEGY);
}

#endif
