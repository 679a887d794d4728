internal import KSSealing

extension ItemClass {
    private static let emptyText = AttributeDescription.Default.value(.string(""))
    private static let noBytes = AttributeDescription.Default.value(.data([]))
    private static let zero = AttributeDescription.Default.value(.integer(0))
    /// 2001-01-01 00:00 UTC.
    private static let firstDate = AttributeDescription.Default.value(.date(0))

    /// What every class has; the class says when its items may be read unless they say otherwise.
    private static func common(_ accessible: ProtectionClass) -> [AttributeDescription] {
        [
            .init(.creationDate, .date, default: .now),
            .init(.modificationDate, .date, default: .now),
            .init(.label, .blob),
            .init(.accessGroup, .string, key: true, default: .callersGroup),
            .init(.accessible, .access, default: .value(.string(accessible.letters))),
            // What it demands beyond that, as the bits of an access control's flags.
            .init(.accessControl, .number),
            .init(.synchronizable, .flag, key: true, default: zero),
            .init(.tombstone, .flag, default: zero),
            .init(.digest, .digest),
            .init(.syncViewHint, .string, key: true, default: .absentAsEmpty),
            .init(.tokenID, .string, key: true, default: .absentAsEmpty),
            .init(.multiUser, .uuid, key: true, default: .value(.data([]))),
            .init(.sharingGroup, .string, key: true, default: .absentAsEmpty),
            .init(.systemBound, .number, default: zero),
            .init(.plaintextService, .number),
            .init(.plaintextPublicKey, .blob),
            .init(.plaintextPublicIdentity, .blob),
        ]
    }

    private static let password: [AttributeDescription] = [
        .init(.description, .blob),
        .init(.comment, .blob),
        .init(.creator, .number),
        .init(.type, .number),
        .init(.scriptCode, .number),
        .init(.alias, .blob),
        .init(.isInvisible, .number),
        .init(.isNegative, .number),
        .init(.hasCustomIcon, .number),
        .init(.protectedBy, .blob),
        .init(.account, .blob, key: true, default: emptyText),
    ]

    static let genericPasswordAttributes: [AttributeDescription] =
        sorted(
            common(.whenUnlocked) + password + [
                .init(.service, .blob, key: true, default: emptyText),
                .init(.generic, .blob),
            ]
        )

    static let internetPasswordAttributes: [AttributeDescription] =
        sorted(
            common(.whenUnlocked) + password + [
                .init(.securityDomain, .blob, key: true, default: emptyText),
                .init(.server, .blob, key: true, default: emptyText),
                .init(.networkProtocol, .number, key: true, default: zero),
                .init(.authenticationType, .blob, key: true, default: emptyText),
                .init(.port, .number, key: true, default: zero),
                .init(.path, .blob, key: true, default: emptyText),
                .init(.notesData, .data, half: .secret),
                .init(.historyData, .data, half: .secret),
                .init(.clientData0, .data, half: .secret),
                .init(.clientData1, .data, half: .secret),
                .init(.clientData2, .data, half: .secret),
                .init(.clientData3, .data, half: .secret),
            ]
        )

    static let certificateAttributes: [AttributeDescription] =
        sorted(
            common(.always) + [
                .init(.certificateType, .number, key: true, default: zero),
                .init(.certificateEncoding, .number),
                .init(.subject, .data),
                .init(.issuer, .data, key: true, default: noBytes),
                .init(.serialNumber, .data, key: true, default: noBytes),
                .init(.subjectKeyID, .data),
                .init(.publicKeyHash, .data),
            ]
        )

    static let keyAttributes: [AttributeDescription] =
        sorted(
            common(.whenUnlocked) + [
                .init(.keyClass, .number, key: true, default: zero),
                .init(.applicationLabel, .data, key: true, default: noBytes),
                .init(.applicationTag, .blob, key: true, default: noBytes),
                .init(.creator, .number, key: true, default: zero),
                .init(.type, .number, key: true, default: zero),
                .init(.keySize, .number, key: true, default: zero),
                .init(.effectiveKeySize, .number, key: true, default: zero),
                .init(.startDate, .date, key: true, default: firstDate),
                .init(.endDate, .date, key: true, default: firstDate),
                .init(.alias, .blob),
            ]
                + [
                    .isPermanent, .isPrivate, .isModifiable, .isSensitive, .wasAlwaysSensitive,
                    .isExtractable, .wasNeverExtractable, .canEncrypt, .canDecrypt, .canDerive,
                    .canSign, .canVerify, .canSignRecoverably, .canVerifyRecoverably, .canWrap,
                    .canUnwrap,
                ].map { .init($0, .number) }
        )

    private static func sorted(_ attributes: [AttributeDescription]) -> [AttributeDescription] {
        attributes.sorted { $0.name < $1.name }
    }
}
