#ifndef KEYCHAIN_SYNC_CPOSTGRESQL_H
#define KEYCHAIN_SYNC_CPOSTGRESQL_H

#include <libpq-fe.h>
#include <stddef.h>
#include <stdint.h>

static inline void keychain_postgresql_ignore(void *context, const char *notice) {
    (void)context;
    (void)notice;
}

// Connects; what the address says overrides the limits here, without which a silent host would be
// waited for without end. The notices that libpq would write to standard error are ignored.
static inline PGconn *keychain_postgresql_connect(const char *address) {
    const char *keywords[] = {
        "connect_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count",
        "tcp_user_timeout", "fallback_application_name", "dbname", "client_encoding", NULL,
    };
    const char *values[] = {
        "5", "10", "5", "3", "15000", "sync-server", address, "UTF8", NULL,
    };
    PGconn *connection = PQconnectdbParams(keywords, values, 1);
    if (connection) PQsetNoticeProcessor(connection, keychain_postgresql_ignore, NULL);
    return connection;
}

enum { keychain_postgresql_parameters_max = 16 };

// Sends one statement. The parameters are in binary form, one after the other in `bytes`; a length
// of -1 is NULL. The answer is in binary form too.
static inline int keychain_postgresql_send(
    PGconn *connection, const char *sql, int count, const uint32_t *types, const uint8_t *bytes,
    const int32_t *lengths
) {
    Oid oids[keychain_postgresql_parameters_max];
    const char *values[keychain_postgresql_parameters_max];
    int sizes[keychain_postgresql_parameters_max];
    int formats[keychain_postgresql_parameters_max];
    if (count > keychain_postgresql_parameters_max) return 0;
    // A value of no bytes still needs an address: without one it would be NULL.
    const char *next = bytes ? (const char *)bytes : "";
    for (int index = 0; index < count; index++) {
        oids[index] = types[index];
        values[index] = lengths[index] < 0 ? NULL : next;
        sizes[index] = lengths[index] < 0 ? 0 : lengths[index];
        formats[index] = 1;
        next += sizes[index];
    }
    return PQsendQueryParams(connection, sql, count, oids, values, sizes, formats, 1);
}

#endif
