internal import Glibc

/// Protects connections against variables of the environment.
package enum TransportEnvironment {
    /// Variables that make libcurl or OpenSSL write session keys to a file or load other code.
    package static let refusedVariables = [
        "SSLKEYLOGFILE", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES",
    ]

    /// Removes these variables from the environment.
    ///
    /// Call it first in `main`, before a second thread starts and before OpenSSL is used.
    package static func harden() {
        for variable in refusedVariables { unsafe unsetenv(variable) }
    }
}
