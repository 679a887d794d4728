/// The name of an attribute: four ASCII characters, as Apple's keychain uses them.
package struct AttributeName: Hashable, Comparable, Sendable {
    /// The four characters, the first in the highest byte.
    package let code: UInt32

    package init(code: UInt32) {
        self.code = code
    }

    /// The name of these characters, or nil when they are not four printable ASCII characters.
    package init?(_ characters: String) {
        guard characters.utf8.count == 4 else { return nil }
        var code: UInt32 = 0
        for byte in characters.utf8 {
            guard (0x20...0x7E).contains(byte) else { return nil }
            code = code << 8 | UInt32(byte)
        }
        self.code = code
    }

    /// A name that is written in our own source.
    fileprivate init(literal characters: StaticString) {
        precondition(characters.utf8CodeUnitCount == 4, "an attribute's name has four characters")
        code = "\(characters)".utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }

    package var bytes: [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
    }

    package var text: String {
        // In place, since every search asks for its columns' names.
        unsafe String(unsafeUninitializedCapacity: 4) { buffer in
            for index in 0..<4 {
                unsafe buffer[index] = UInt8(truncatingIfNeeded: code >> (24 - 8 * UInt32(index)))
            }
            return 4
        }
    }

    /// By their characters' bytes.
    package static func < (left: Self, right: Self) -> Bool {
        left.code < right.code
    }
}

extension AttributeName {
    package static let accessControl = AttributeName(literal: "accc")
    package static let accessGroup = AttributeName(literal: "agrp")
    package static let accessible = AttributeName(literal: "pdmn")
    package static let account = AttributeName(literal: "acct")
    package static let alias = AttributeName(literal: "alis")
    package static let applicationLabel = AttributeName(literal: "klbl")
    package static let applicationTag = AttributeName(literal: "atag")
    package static let authenticationType = AttributeName(literal: "atyp")
    package static let canDecrypt = AttributeName(literal: "decr")
    package static let canDerive = AttributeName(literal: "drve")
    package static let canEncrypt = AttributeName(literal: "encr")
    package static let canSign = AttributeName(literal: "sign")
    package static let canSignRecoverably = AttributeName(literal: "snrc")
    package static let canUnwrap = AttributeName(literal: "unwp")
    package static let canVerify = AttributeName(literal: "vrfy")
    package static let canVerifyRecoverably = AttributeName(literal: "vyrc")
    package static let canWrap = AttributeName(literal: "wrap")
    package static let certificateEncoding = AttributeName(literal: "cenc")
    package static let certificateType = AttributeName(literal: "ctyp")
    package static let clientData0 = AttributeName(literal: "bin0")
    package static let clientData1 = AttributeName(literal: "bin1")
    package static let clientData2 = AttributeName(literal: "bin2")
    package static let clientData3 = AttributeName(literal: "bin3")
    package static let comment = AttributeName(literal: "icmt")
    package static let creationDate = AttributeName(literal: "cdat")
    package static let creator = AttributeName(literal: "crtr")
    package static let description = AttributeName(literal: "desc")
    /// `kSecAttrSHA1`: ``ItemDigest``.
    package static let digest = AttributeName(literal: "sha1")
    package static let effectiveKeySize = AttributeName(literal: "esiz")
    package static let endDate = AttributeName(literal: "edat")
    package static let generic = AttributeName(literal: "gena")
    package static let hasCustomIcon = AttributeName(literal: "cusi")
    package static let historyData = AttributeName(literal: "bini")
    package static let isExtractable = AttributeName(literal: "extr")
    package static let isInvisible = AttributeName(literal: "invi")
    package static let isModifiable = AttributeName(literal: "modi")
    package static let isNegative = AttributeName(literal: "nega")
    package static let isPermanent = AttributeName(literal: "perm")
    package static let isPrivate = AttributeName(literal: "priv")
    package static let isSensitive = AttributeName(literal: "sens")
    package static let issuer = AttributeName(literal: "issr")
    package static let keyClass = AttributeName(literal: "kcls")
    package static let keySize = AttributeName(literal: "bsiz")
    package static let label = AttributeName(literal: "labl")
    package static let modificationDate = AttributeName(literal: "mdat")
    package static let multiUser = AttributeName(literal: "musr")
    /// `kSecAttrProtocol`.
    package static let networkProtocol = AttributeName(literal: "ptcl")
    package static let notesData = AttributeName(literal: "binn")
    package static let path = AttributeName(literal: "path")
    package static let plaintextPublicIdentity = AttributeName(literal: "pcsi")
    package static let plaintextPublicKey = AttributeName(literal: "pcsk")
    package static let plaintextService = AttributeName(literal: "pcss")
    package static let port = AttributeName(literal: "port")
    package static let protectedBy = AttributeName(literal: "prot")
    package static let publicKeyHash = AttributeName(literal: "pkhh")
    package static let scriptCode = AttributeName(literal: "scrp")
    package static let securityDomain = AttributeName(literal: "sdmn")
    package static let serialNumber = AttributeName(literal: "slnr")
    package static let server = AttributeName(literal: "srvr")
    package static let service = AttributeName(literal: "svce")
    package static let sharingGroup = AttributeName(literal: "ggrp")
    package static let startDate = AttributeName(literal: "sdat")
    package static let subject = AttributeName(literal: "subj")
    package static let subjectKeyID = AttributeName(literal: "skid")
    package static let synchronizable = AttributeName(literal: "sync")
    package static let syncViewHint = AttributeName(literal: "vwht")
    package static let systemBound = AttributeName(literal: "sysb")
    package static let tokenID = AttributeName(literal: "tkid")
    package static let tombstone = AttributeName(literal: "tomb")
    package static let type = AttributeName(literal: "type")
    package static let wasAlwaysSensitive = AttributeName(literal: "asen")
    package static let wasNeverExtractable = AttributeName(literal: "next")
    /// The secret's name inside the sealed half of a row; callers never name it.
    static let secretData = AttributeName(literal: "data")
}
