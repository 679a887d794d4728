internal import Foundation

/// A library that makes the programs of tests derive keys from passwords in a millisecond.
///
/// A program that loads it first calls this `EVP_PBE_scrypt`, which asks OpenSSL for 2⁴ rounds
/// instead of 2¹⁷: tests need not wait for what slows down thieves. `make demo` runs the
/// programs without it. A program that a test interrupts meanwhile waits instead of computing.
package enum CheapDerivation {
    /// The environment variable with the milliseconds that each derivation waits.
    package static let wait = "KEYCHAIN_SYNC_TESTS_DERIVATION_MILLISECONDS"

    private static let code = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stddef.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <unistd.h>
        typedef int derivation(const char *, size_t, const unsigned char *, size_t, uint64_t,
                               uint64_t, uint64_t, uint64_t, unsigned char *, size_t);
        int EVP_PBE_scrypt(const char *password, size_t passwordLength, const unsigned char *salt,
                           size_t saltLength, uint64_t rounds, uint64_t r, uint64_t p,
                           uint64_t memory, unsigned char *key, size_t keyLength) {
            derivation *full = (derivation *)dlsym(RTLD_NEXT, "EVP_PBE_scrypt");
            const char *wait = getenv("\(wait)");
            if (wait && rounds > 16) usleep(1000 * atoi(wait));
            return full(password, passwordLength, salt, saltLength, rounds > 16 ? 16 : rounds, r, p,
                        memory, key, keyLength);
        }

        """

    /// The library's path; it is compiled beside the tests, for later runs too.
    static let library = Task {
        let path = Programs.path("libcheap-derivation.so")
        let files = FileManager.default
        let (source, object) = (path + ".c", path + "." + UUID().uuidString)
        if files.contents(atPath: source) == Data(code.utf8), files.fileExists(atPath: path) {
            return path
        }
        let result = try await Programs.run(
            "/usr/bin/env",
            ["clang", "-shared", "-fPIC", "-x", "c", "-", "-o", object],
            environment: ["LD_PRELOAD": ""],
            input: .text(code)
        )
        guard result.status == 0, unsafe rename(object, path) == 0 else {
            throw CompilerFailure(description: result.errors)
        }
        try Data(code.utf8).write(to: URL(filePath: source), options: .atomic)
        return path
    }

    struct CompilerFailure: Error, CustomStringConvertible {
        let description: String
    }
}
