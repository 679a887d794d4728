/// Why a file of KeePass cannot be read or written.
///
/// No case carries contents or key bytes.
package enum KeePassError: Error, Equatable {
    /// It has not the signature, or not the elements, of KeePass.
    case notKeePass
    /// KeePass 1 has written it (`.kdb`).
    case firstGeneration
    case newerVersion
    /// It is cut, or was changed after it was written.
    case damaged
    case wrongPassword
    /// Its key derivation would take too much memory or time.
    case tooCostly
    /// It has a cipher or a key derivation that is not known here.
    case unknownCipher
    /// It becomes far larger than any database when it is unpacked.
    case tooLarge
    case tooManyEntries
    /// The XML is broken in this line.
    case notXML(line: Int)
    /// The XML nests or declares what no program writes.
    case hostileXML
}
