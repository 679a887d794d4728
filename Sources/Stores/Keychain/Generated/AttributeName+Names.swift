// DO NOT EDIT: scripts/generate-tables makes this from attributes.table.
// swift-format-ignore-file

extension AttributeName {
    /// `kSecAttrCreationDate`, "cdat".
    package static let creationDate = AttributeName(code: 0x63646174)
    /// `kSecAttrModificationDate`, "mdat".
    package static let modificationDate = AttributeName(code: 0x6D646174)
    /// `kSecAttrLabel`, "labl".
    package static let label = AttributeName(code: 0x6C61626C)
    /// `kSecAttrAccessGroup`, "agrp".
    package static let accessGroup = AttributeName(code: 0x61677270)
    /// `kSecAttrAccessible`, "pdmn".
    package static let accessible = AttributeName(code: 0x70646D6E)
    /// `kSecAttrAccessControl`, "accc".
    package static let accessControl = AttributeName(code: 0x61636363)
    /// `kSecAttrSynchronizable`, "sync".
    package static let synchronizable = AttributeName(code: 0x73796E63)
    /// `kSecAttrTombstone`, "tomb".
    package static let tombstone = AttributeName(code: 0x746F6D62)
    /// `kSecAttrSHA1`, "sha1".
    package static let digest = AttributeName(code: 0x73686131)
    /// `kSecAttrSyncViewHint`, "vwht".
    package static let syncViewHint = AttributeName(code: 0x76776874)
    /// `kSecAttrTokenID`, "tkid".
    package static let tokenID = AttributeName(code: 0x746B6964)
    /// `kSecAttrMultiUser`, "musr".
    package static let multiUser = AttributeName(code: 0x6D757372)
    /// `kSecAttrSharingGroup`, "ggrp".
    package static let sharingGroup = AttributeName(code: 0x67677270)
    /// `kSecAttrSysBound`, "sysb".
    package static let systemBound = AttributeName(code: 0x73797362)
    /// `kSecAttrPCSPlaintextServiceIdentifier`, "pcss".
    package static let plaintextService = AttributeName(code: 0x70637373)
    /// `kSecAttrPCSPlaintextPublicKey`, "pcsk".
    package static let plaintextPublicKey = AttributeName(code: 0x7063736B)
    /// `kSecAttrPCSPlaintextPublicIdentity`, "pcsi".
    package static let plaintextPublicIdentity = AttributeName(code: 0x70637369)
    /// `kSecAttrDescription`, "desc".
    package static let description = AttributeName(code: 0x64657363)
    /// `kSecAttrComment`, "icmt".
    package static let comment = AttributeName(code: 0x69636D74)
    /// `kSecAttrCreator`, "crtr".
    package static let creator = AttributeName(code: 0x63727472)
    /// `kSecAttrType`, "type".
    package static let type = AttributeName(code: 0x74797065)
    /// `kSecAttrScriptCode`, "scrp".
    package static let scriptCode = AttributeName(code: 0x73637270)
    /// `kSecAttrAlias`, "alis".
    package static let alias = AttributeName(code: 0x616C6973)
    /// `kSecAttrIsInvisible`, "invi".
    package static let isInvisible = AttributeName(code: 0x696E7669)
    /// `kSecAttrIsNegative`, "nega".
    package static let isNegative = AttributeName(code: 0x6E656761)
    /// `kSecAttrHasCustomIcon`, "cusi".
    package static let hasCustomIcon = AttributeName(code: 0x63757369)
    /// `kSecAttrProtected`, "prot".
    package static let protectedBy = AttributeName(code: 0x70726F74)
    /// `kSecAttrAccount`, "acct".
    package static let account = AttributeName(code: 0x61636374)
    /// `kSecAttrService`, "svce".
    package static let service = AttributeName(code: 0x73766365)
    /// `kSecAttrGeneric`, "gena".
    package static let generic = AttributeName(code: 0x67656E61)
    /// `kSecAttrSecurityDomain`, "sdmn".
    package static let securityDomain = AttributeName(code: 0x73646D6E)
    /// `kSecAttrServer`, "srvr".
    package static let server = AttributeName(code: 0x73727672)
    /// `kSecAttrProtocol`, "ptcl".
    package static let networkProtocol = AttributeName(code: 0x7074636C)
    /// `kSecAttrAuthenticationType`, "atyp".
    package static let authenticationType = AttributeName(code: 0x61747970)
    /// `kSecAttrPort`, "port".
    package static let port = AttributeName(code: 0x706F7274)
    /// `kSecAttrPath`, "path".
    package static let path = AttributeName(code: 0x70617468)
    /// `kSecDataInetExtraNotes`, "binn".
    package static let notesData = AttributeName(code: 0x62696E6E)
    /// `kSecDataInetExtraHistory`, "bini".
    package static let historyData = AttributeName(code: 0x62696E69)
    /// `kSecDataInetExtraClientDefined0`, "bin0".
    package static let clientData0 = AttributeName(code: 0x62696E30)
    /// `kSecDataInetExtraClientDefined1`, "bin1".
    package static let clientData1 = AttributeName(code: 0x62696E31)
    /// `kSecDataInetExtraClientDefined2`, "bin2".
    package static let clientData2 = AttributeName(code: 0x62696E32)
    /// `kSecDataInetExtraClientDefined3`, "bin3".
    package static let clientData3 = AttributeName(code: 0x62696E33)
    /// `kSecAttrCertificateType`, "ctyp".
    package static let certificateType = AttributeName(code: 0x63747970)
    /// `kSecAttrCertificateEncoding`, "cenc".
    package static let certificateEncoding = AttributeName(code: 0x63656E63)
    /// `kSecAttrSubject`, "subj".
    package static let subject = AttributeName(code: 0x7375626A)
    /// `kSecAttrIssuer`, "issr".
    package static let issuer = AttributeName(code: 0x69737372)
    /// `kSecAttrSerialNumber`, "slnr".
    package static let serialNumber = AttributeName(code: 0x736C6E72)
    /// `kSecAttrSubjectKeyID`, "skid".
    package static let subjectKeyID = AttributeName(code: 0x736B6964)
    /// `kSecAttrPublicKeyHash`, "pkhh".
    package static let publicKeyHash = AttributeName(code: 0x706B6868)
    /// `kSecAttrKeyClass`, "kcls".
    package static let keyClass = AttributeName(code: 0x6B636C73)
    /// `kSecAttrIsPermanent`, "perm".
    package static let isPermanent = AttributeName(code: 0x7065726D)
    /// `kSecAttrIsPrivate`, "priv".
    package static let isPrivate = AttributeName(code: 0x70726976)
    /// `kSecAttrIsModifiable`, "modi".
    package static let isModifiable = AttributeName(code: 0x6D6F6469)
    /// `kSecAttrApplicationLabel`, "klbl".
    package static let applicationLabel = AttributeName(code: 0x6B6C626C)
    /// `kSecAttrApplicationTag`, "atag".
    package static let applicationTag = AttributeName(code: 0x61746167)
    /// `kSecAttrKeySizeInBits`, "bsiz".
    package static let keySize = AttributeName(code: 0x6273697A)
    /// `kSecAttrEffectiveKeySize`, "esiz".
    package static let effectiveKeySize = AttributeName(code: 0x6573697A)
    /// `kSecAttrStartDate`, "sdat".
    package static let startDate = AttributeName(code: 0x73646174)
    /// `kSecAttrEndDate`, "edat".
    package static let endDate = AttributeName(code: 0x65646174)
    /// `kSecAttrIsSensitive`, "sens".
    package static let isSensitive = AttributeName(code: 0x73656E73)
    /// `kSecAttrWasAlwaysSensitive`, "asen".
    package static let wasAlwaysSensitive = AttributeName(code: 0x6173656E)
    /// `kSecAttrIsExtractable`, "extr".
    package static let isExtractable = AttributeName(code: 0x65787472)
    /// `kSecAttrWasNeverExtractable`, "next".
    package static let wasNeverExtractable = AttributeName(code: 0x6E657874)
    /// `kSecAttrCanEncrypt`, "encr".
    package static let canEncrypt = AttributeName(code: 0x656E6372)
    /// `kSecAttrCanDecrypt`, "decr".
    package static let canDecrypt = AttributeName(code: 0x64656372)
    /// `kSecAttrCanDerive`, "drve".
    package static let canDerive = AttributeName(code: 0x64727665)
    /// `kSecAttrCanSign`, "sign".
    package static let canSign = AttributeName(code: 0x7369676E)
    /// `kSecAttrCanVerify`, "vrfy".
    package static let canVerify = AttributeName(code: 0x76726679)
    /// `kSecAttrCanSignRecover`, "snrc".
    package static let canSignRecoverably = AttributeName(code: 0x736E7263)
    /// `kSecAttrCanVerifyRecover`, "vyrc".
    package static let canVerifyRecoverably = AttributeName(code: 0x76797263)
    /// `kSecAttrCanWrap`, "wrap".
    package static let canWrap = AttributeName(code: 0x77726170)
    /// `kSecAttrCanUnwrap`, "unwp".
    package static let canUnwrap = AttributeName(code: 0x756E7770)
}
