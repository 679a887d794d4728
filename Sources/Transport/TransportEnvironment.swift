internal import Glibc

/// What the environment could do to a connection.
package enum TransportEnvironment {
    /// Variables through which libcurl or OpenSSL would write down session keys or load foreign
    /// code.
    package static let refusedVariables = [
        "SSLKEYLOGFILE", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES",
    ]

    /// Takes these variables out of the environment.
    ///
    /// To be called first thing in `main`, before there is a second thread and before OpenSSL is
    /// used.
    package static func harden() {
        for variable in refusedVariables { unsafe unsetenv(variable) }
    }
}
