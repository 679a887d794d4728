// DO NOT EDIT: scripts/generate-tables makes this from statuses.table.
// swift-format-ignore-file

extension SecStatus {
    package static let errSecSuccess: Int32 = 0
    package static let errSecUnimplemented: Int32 = -4
    package static let errSecUnsupportedOperation: Int32 = -4
    package static let errSecDiskFull: Int32 = -34
    package static let errSecDskFull: Int32 = -34
    package static let errSecIO: Int32 = -36
    package static let errSecOpWr: Int32 = -49
    package static let errSecParam: Int32 = -50
    package static let errSecWrPerm: Int32 = -61
    package static let errSecAllocate: Int32 = -108
    package static let errSecUserCanceled: Int32 = -128
    package static let errSecBadReq: Int32 = -909
    package static let errSecInternalComponent: Int32 = -2070
    package static let errSecCoreFoundationUnknown: Int32 = -4960
    package static let errSSLCrypto: Int32 = -9809
    package static let errSecMissingEntitlement: Int32 = -34018
    package static let errSecUpgradePending: Int32 = -34019
    package static let errSecRestrictedAPI: Int32 = -34020
    package static let errSecNotAvailable: Int32 = -25291
    package static let errSecReadOnly: Int32 = -25292
    package static let errSecAuthFailed: Int32 = -25293
    package static let errSecNoSuchKeychain: Int32 = -25294
    package static let errSecInvalidKeychain: Int32 = -25295
    package static let errSecDuplicateKeychain: Int32 = -25296
    package static let errSecDuplicateCallback: Int32 = -25297
    package static let errSecInvalidCallback: Int32 = -25298
    package static let errSecDuplicateItem: Int32 = -25299
    package static let errSecItemNotFound: Int32 = -25300
    package static let errSecBufferTooSmall: Int32 = -25301
    package static let errSecDataTooLarge: Int32 = -25302
    package static let errSecNoSuchAttr: Int32 = -25303
    package static let errSecInvalidItemRef: Int32 = -25304
    package static let errSecInvalidSearchRef: Int32 = -25305
    package static let errSecNoSuchClass: Int32 = -25306
    package static let errSecNoDefaultKeychain: Int32 = -25307
    package static let errSecInteractionNotAllowed: Int32 = -25308
    package static let errSecReadOnlyAttr: Int32 = -25309
    package static let errSecWrongSecVersion: Int32 = -25310
    package static let errSecKeySizeNotAllowed: Int32 = -25311
    package static let errSecNoStorageModule: Int32 = -25312
    package static let errSecNoCertificateModule: Int32 = -25313
    package static let errSecNoPolicyModule: Int32 = -25314
    package static let errSecInteractionRequired: Int32 = -25315
    package static let errSecDataNotAvailable: Int32 = -25316
    package static let errSecDataNotModifiable: Int32 = -25317
    package static let errSecCreateChainFailed: Int32 = -25318
    package static let errSecInvalidPrefsDomain: Int32 = -25319
    package static let errSecInDarkWake: Int32 = -25320
    package static let errSecAuthNeeded: Int32 = -25330
    package static let errSecACLNotSimple: Int32 = -25240
    package static let errSecPolicyNotFound: Int32 = -25241
    package static let errSecInvalidTrustSetting: Int32 = -25242
    package static let errSecNoAccessForItem: Int32 = -25243
    package static let errSecInvalidOwnerEdit: Int32 = -25244
    package static let errSecTrustNotAvailable: Int32 = -25245
    package static let errSecUnsupportedFormat: Int32 = -25256
    package static let errSecUnknownFormat: Int32 = -25257
    package static let errSecKeyIsSensitive: Int32 = -25258
    package static let errSecMultiplePrivKeys: Int32 = -25259
    package static let errSecPassphraseRequired: Int32 = -25260
    package static let errSecInvalidPasswordRef: Int32 = -25261
    package static let errSecInvalidTrustSettings: Int32 = -25262
    package static let errSecNoTrustSettings: Int32 = -25263
    package static let errSecPkcs12VerifyFailure: Int32 = -25264
    package static let errSecNotSigner: Int32 = -26267
    package static let errSecDecode: Int32 = -26275
    package static let errSecInternal: Int32 = -26276
    package static let errSecServiceNotAvailable: Int32 = -67585
    package static let errSecInsufficientClientID: Int32 = -67586
    package static let errSecDeviceReset: Int32 = -67587
    package static let errSecDeviceFailed: Int32 = -67588
    package static let errSecAppleAddAppACLSubject: Int32 = -67589
    package static let errSecApplePublicKeyIncomplete: Int32 = -67590
    package static let errSecAppleSignatureMismatch: Int32 = -67591
    package static let errSecAppleInvalidKeyStartDate: Int32 = -67592
    package static let errSecAppleInvalidKeyEndDate: Int32 = -67593
    package static let errSecConversionError: Int32 = -67594
    package static let errSecAppleSSLv2Rollback: Int32 = -67595
    package static let errSecQuotaExceeded: Int32 = -67596
    package static let errSecFileTooBig: Int32 = -67597
    package static let errSecInvalidDatabaseBlob: Int32 = -67598
    package static let errSecInvalidKeyBlob: Int32 = -67599
    package static let errSecIncompatibleDatabaseBlob: Int32 = -67600
    package static let errSecIncompatibleKeyBlob: Int32 = -67601
    package static let errSecHostNameMismatch: Int32 = -67602
    package static let errSecUnknownCriticalExtensionFlag: Int32 = -67603
    package static let errSecNoBasicConstraints: Int32 = -67604
    package static let errSecNoBasicConstraintsCA: Int32 = -67605
    package static let errSecInvalidAuthorityKeyID: Int32 = -67606
    package static let errSecInvalidSubjectKeyID: Int32 = -67607
    package static let errSecInvalidKeyUsageForPolicy: Int32 = -67608
    package static let errSecInvalidExtendedKeyUsage: Int32 = -67609
    package static let errSecInvalidIDLinkage: Int32 = -67610
    package static let errSecPathLengthConstraintExceeded: Int32 = -67611
    package static let errSecInvalidRoot: Int32 = -67612
    package static let errSecCRLExpired: Int32 = -67613
    package static let errSecCRLNotValidYet: Int32 = -67614
    package static let errSecCRLNotFound: Int32 = -67615
    package static let errSecNotInitialized: Int32 = -67667
    package static let errSecInternalError: Int32 = -67671
    package static let errSecMemoryError: Int32 = -67672
    package static let errSecInvalidData: Int32 = -67673
    package static let errSecInvalidPointer: Int32 = -67675
    package static let errSecFunctionFailed: Int32 = -67677
    package static let errSecInvalidHandle: Int32 = -67680
    package static let errSecInvalidNumberOfFields: Int32 = -67685
    package static let errSecCRLServerDown: Int32 = -67616
    package static let errSecCRLBadURI: Int32 = -67617
    package static let errSecUnknownCertExtension: Int32 = -67618
    package static let errSecUnknownCRLExtension: Int32 = -67619
    package static let errSecCRLNotTrusted: Int32 = -67620
    package static let errSecCRLPolicyFailed: Int32 = -67621
    package static let errSecIDPFailure: Int32 = -67622
    package static let errSecSMIMEEmailAddressesNotFound: Int32 = -67623
    package static let errSecSMIMEBadExtendedKeyUsage: Int32 = -67624
    package static let errSecSMIMEBadKeyUsage: Int32 = -67625
    package static let errSecSMIMEKeyUsageNotCritical: Int32 = -67626
    package static let errSecSMIMENoEmailAddress: Int32 = -67627
    package static let errSecSMIMESubjAltNameNotCritical: Int32 = -67628
    package static let errSecSSLBadExtendedKeyUsage: Int32 = -67629
    package static let errSecOCSPBadResponse: Int32 = -67630
    package static let errSecOCSPBadRequest: Int32 = -67631
    package static let errSecOCSPUnavailable: Int32 = -67632
    package static let errSecOCSPStatusUnrecognized: Int32 = -67633
    package static let errSecEndOfData: Int32 = -67634
    package static let errSecIncompleteCertRevocationCheck: Int32 = -67635
    package static let errSecNetworkFailure: Int32 = -67636
    package static let errSecOCSPNotTrustedToAnchor: Int32 = -67637
    package static let errSecRecordModified: Int32 = -67638
    package static let errSecOCSPSignatureError: Int32 = -67639
    package static let errSecOCSPNoSigner: Int32 = -67640
    package static let errSecOCSPResponderMalformedReq: Int32 = -67641
    package static let errSecOCSPResponderInternalError: Int32 = -67642
    package static let errSecOCSPResponderTryLater: Int32 = -67643
    package static let errSecOCSPResponderSignatureRequired: Int32 = -67644
    package static let errSecOCSPResponderUnauthorized: Int32 = -67645
    package static let errSecOCSPResponseNonceMismatch: Int32 = -67646
    package static let errSecCodeSigningBadCertChainLength: Int32 = -67647
    package static let errSecCodeSigningNoBasicConstraints: Int32 = -67648
    package static let errSecCodeSigningBadPathLengthConstraint: Int32 = -67649
    package static let errSecCodeSigningNoExtendedKeyUsage: Int32 = -67650
    package static let errSecCodeSigningDevelopment: Int32 = -67651
    package static let errSecResourceSignBadCertChainLength: Int32 = -67652
    package static let errSecResourceSignBadExtKeyUsage: Int32 = -67653
    package static let errSecTrustSettingDeny: Int32 = -67654
    package static let errSecInvalidSubjectName: Int32 = -67655
    package static let errSecUnknownQualifiedCertStatement: Int32 = -67656
    package static let errSecMobileMeRequestQueued: Int32 = -67657
    package static let errSecMobileMeRequestRedirected: Int32 = -67658
    package static let errSecMobileMeServerError: Int32 = -67659
    package static let errSecMobileMeServerNotAvailable: Int32 = -67660
    package static let errSecMobileMeServerAlreadyExists: Int32 = -67661
    package static let errSecMobileMeServerServiceErr: Int32 = -67662
    package static let errSecMobileMeRequestAlreadyPending: Int32 = -67663
    package static let errSecMobileMeNoRequestPending: Int32 = -67664
    package static let errSecMobileMeCSRVerifyFailure: Int32 = -67665
    package static let errSecMobileMeFailedConsistencyCheck: Int32 = -67666
    package static let errSecInvalidHandleUsage: Int32 = -67668
    package static let errSecPVCReferentNotFound: Int32 = -67669
    package static let errSecFunctionIntegrityFail: Int32 = -67670
    package static let errSecMDSError: Int32 = -67674
    package static let errSecSelfCheckFailed: Int32 = -67676
    package static let errSecModuleManifestVerifyFailed: Int32 = -67678
    package static let errSecInvalidGUID: Int32 = -67679
    package static let errSecInvalidDBList: Int32 = -67681
    package static let errSecInvalidPassthroughID: Int32 = -67682
    package static let errSecInvalidNetworkAddress: Int32 = -67683
    package static let errSecCRLAlreadySigned: Int32 = -67684
    package static let errSecVerificationFailure: Int32 = -67686
    package static let errSecUnknownTag: Int32 = -67687
    package static let errSecInvalidSignature: Int32 = -67688
    package static let errSecInvalidName: Int32 = -67689
    package static let errSecInvalidCertificateRef: Int32 = -67690
    package static let errSecInvalidCertificateGroup: Int32 = -67691
    package static let errSecTagNotFound: Int32 = -67692
    package static let errSecInvalidQuery: Int32 = -67693
    package static let errSecInvalidValue: Int32 = -67694
    package static let errSecCallbackFailed: Int32 = -67695
    package static let errSecACLDeleteFailed: Int32 = -67696
    package static let errSecACLReplaceFailed: Int32 = -67697
    package static let errSecACLAddFailed: Int32 = -67698
    package static let errSecACLChangeFailed: Int32 = -67699
    package static let errSecInvalidAccessCredentials: Int32 = -67700
    package static let errSecInvalidRecord: Int32 = -67701
    package static let errSecInvalidACL: Int32 = -67702
    package static let errSecInvalidSampleValue: Int32 = -67703
    package static let errSecIncompatibleVersion: Int32 = -67704
    package static let errSecPrivilegeNotGranted: Int32 = -67705
    package static let errSecInvalidScope: Int32 = -67706
    package static let errSecPVCAlreadyConfigured: Int32 = -67707
    package static let errSecInvalidPVC: Int32 = -67708
    package static let errSecEMMLoadFailed: Int32 = -67709
    package static let errSecEMMUnloadFailed: Int32 = -67710
    package static let errSecAddinLoadFailed: Int32 = -67711
    package static let errSecInvalidKeyRef: Int32 = -67712
    package static let errSecInvalidKeyHierarchy: Int32 = -67713
    package static let errSecAddinUnloadFailed: Int32 = -67714
    package static let errSecLibraryReferenceNotFound: Int32 = -67715
    package static let errSecInvalidAddinFunctionTable: Int32 = -67716
    package static let errSecInvalidServiceMask: Int32 = -67717
    package static let errSecModuleNotLoaded: Int32 = -67718
    package static let errSecInvalidSubServiceID: Int32 = -67719
    package static let errSecAttributeNotInContext: Int32 = -67720
    package static let errSecModuleManagerInitializeFailed: Int32 = -67721
    package static let errSecModuleManagerNotFound: Int32 = -67722
    package static let errSecEventNotificationCallbackNotFound: Int32 = -67723
    package static let errSecInputLengthError: Int32 = -67724
    package static let errSecOutputLengthError: Int32 = -67725
    package static let errSecPrivilegeNotSupported: Int32 = -67726
    package static let errSecDeviceError: Int32 = -67727
    package static let errSecAttachHandleBusy: Int32 = -67728
    package static let errSecNotLoggedIn: Int32 = -67729
    package static let errSecAlgorithmMismatch: Int32 = -67730
    package static let errSecKeyUsageIncorrect: Int32 = -67731
    package static let errSecKeyBlobTypeIncorrect: Int32 = -67732
    package static let errSecKeyHeaderInconsistent: Int32 = -67733
    package static let errSecUnsupportedKeyFormat: Int32 = -67734
    package static let errSecUnsupportedKeySize: Int32 = -67735
    package static let errSecInvalidKeyUsageMask: Int32 = -67736
    package static let errSecUnsupportedKeyUsageMask: Int32 = -67737
    package static let errSecInvalidKeyAttributeMask: Int32 = -67738
    package static let errSecUnsupportedKeyAttributeMask: Int32 = -67739
    package static let errSecInvalidKeyLabel: Int32 = -67740
    package static let errSecUnsupportedKeyLabel: Int32 = -67741
    package static let errSecInvalidKeyFormat: Int32 = -67742
    package static let errSecUnsupportedVectorOfBuffers: Int32 = -67743
    package static let errSecInvalidInputVector: Int32 = -67744
    package static let errSecInvalidOutputVector: Int32 = -67745
    package static let errSecInvalidContext: Int32 = -67746
    package static let errSecInvalidAlgorithm: Int32 = -67747
    package static let errSecInvalidAttributeKey: Int32 = -67748
    package static let errSecMissingAttributeKey: Int32 = -67749
    package static let errSecInvalidAttributeInitVector: Int32 = -67750
    package static let errSecMissingAttributeInitVector: Int32 = -67751
    package static let errSecInvalidAttributeSalt: Int32 = -67752
    package static let errSecMissingAttributeSalt: Int32 = -67753
    package static let errSecInvalidAttributePadding: Int32 = -67754
    package static let errSecMissingAttributePadding: Int32 = -67755
    package static let errSecInvalidAttributeRandom: Int32 = -67756
    package static let errSecMissingAttributeRandom: Int32 = -67757
    package static let errSecInvalidAttributeSeed: Int32 = -67758
    package static let errSecMissingAttributeSeed: Int32 = -67759
    package static let errSecInvalidAttributePassphrase: Int32 = -67760
    package static let errSecMissingAttributePassphrase: Int32 = -67761
    package static let errSecInvalidAttributeKeyLength: Int32 = -67762
    package static let errSecMissingAttributeKeyLength: Int32 = -67763
    package static let errSecInvalidAttributeBlockSize: Int32 = -67764
    package static let errSecMissingAttributeBlockSize: Int32 = -67765
    package static let errSecInvalidAttributeOutputSize: Int32 = -67766
    package static let errSecMissingAttributeOutputSize: Int32 = -67767
    package static let errSecInvalidAttributeRounds: Int32 = -67768
    package static let errSecMissingAttributeRounds: Int32 = -67769
    package static let errSecInvalidAlgorithmParms: Int32 = -67770
    package static let errSecMissingAlgorithmParms: Int32 = -67771
    package static let errSecInvalidAttributeLabel: Int32 = -67772
    package static let errSecMissingAttributeLabel: Int32 = -67773
    package static let errSecInvalidAttributeKeyType: Int32 = -67774
    package static let errSecMissingAttributeKeyType: Int32 = -67775
    package static let errSecInvalidAttributeMode: Int32 = -67776
    package static let errSecMissingAttributeMode: Int32 = -67777
    package static let errSecInvalidAttributeEffectiveBits: Int32 = -67778
    package static let errSecMissingAttributeEffectiveBits: Int32 = -67779
    package static let errSecInvalidAttributeStartDate: Int32 = -67780
    package static let errSecMissingAttributeStartDate: Int32 = -67781
    package static let errSecInvalidAttributeEndDate: Int32 = -67782
    package static let errSecMissingAttributeEndDate: Int32 = -67783
    package static let errSecInvalidAttributeVersion: Int32 = -67784
    package static let errSecMissingAttributeVersion: Int32 = -67785
    package static let errSecInvalidAttributePrime: Int32 = -67786
    package static let errSecMissingAttributePrime: Int32 = -67787
    package static let errSecInvalidAttributeBase: Int32 = -67788
    package static let errSecMissingAttributeBase: Int32 = -67789
    package static let errSecInvalidAttributeSubprime: Int32 = -67790
    package static let errSecMissingAttributeSubprime: Int32 = -67791
    package static let errSecInvalidAttributeIterationCount: Int32 = -67792
    package static let errSecMissingAttributeIterationCount: Int32 = -67793
    package static let errSecInvalidAttributeDLDBHandle: Int32 = -67794
    package static let errSecMissingAttributeDLDBHandle: Int32 = -67795
    package static let errSecInvalidAttributeAccessCredentials: Int32 = -67796
    package static let errSecMissingAttributeAccessCredentials: Int32 = -67797
    package static let errSecInvalidAttributePublicKeyFormat: Int32 = -67798
    package static let errSecMissingAttributePublicKeyFormat: Int32 = -67799
    package static let errSecInvalidAttributePrivateKeyFormat: Int32 = -67800
    package static let errSecMissingAttributePrivateKeyFormat: Int32 = -67801
    package static let errSecInvalidAttributeSymmetricKeyFormat: Int32 = -67802
    package static let errSecMissingAttributeSymmetricKeyFormat: Int32 = -67803
    package static let errSecInvalidAttributeWrappedKeyFormat: Int32 = -67804
    package static let errSecMissingAttributeWrappedKeyFormat: Int32 = -67805
    package static let errSecStagedOperationInProgress: Int32 = -67806
    package static let errSecStagedOperationNotStarted: Int32 = -67807
    package static let errSecVerifyFailed: Int32 = -67808
    package static let errSecQuerySizeUnknown: Int32 = -67809
    package static let errSecBlockSizeMismatch: Int32 = -67810
    package static let errSecPublicKeyInconsistent: Int32 = -67811
    package static let errSecDeviceVerifyFailed: Int32 = -67812
    package static let errSecInvalidLoginName: Int32 = -67813
    package static let errSecAlreadyLoggedIn: Int32 = -67814
    package static let errSecInvalidDigestAlgorithm: Int32 = -67815
    package static let errSecInvalidCRLGroup: Int32 = -67816
    package static let errSecCertificateCannotOperate: Int32 = -67817
    package static let errSecCertificateExpired: Int32 = -67818
    package static let errSecCertificateNotValidYet: Int32 = -67819
    package static let errSecCertificateRevoked: Int32 = -67820
    package static let errSecCertificateSuspended: Int32 = -67821
    package static let errSecInsufficientCredentials: Int32 = -67822
    package static let errSecInvalidAction: Int32 = -67823
    package static let errSecInvalidAuthority: Int32 = -67824
    package static let errSecVerifyActionFailed: Int32 = -67825
    package static let errSecInvalidCertAuthority: Int32 = -67826
    package static let errSecInvaldCRLAuthority: Int32 = -67827
    package static let errSecInvalidCRLAuthority: Int32 = -67827
    package static let errSecInvalidCRLEncoding: Int32 = -67828
    package static let errSecInvalidCRLType: Int32 = -67829
    package static let errSecInvalidCRL: Int32 = -67830
    package static let errSecInvalidFormType: Int32 = -67831
    package static let errSecInvalidID: Int32 = -67832
    package static let errSecInvalidIdentifier: Int32 = -67833
    package static let errSecInvalidIndex: Int32 = -67834
    package static let errSecInvalidPolicyIdentifiers: Int32 = -67835
    package static let errSecInvalidTimeString: Int32 = -67836
    package static let errSecInvalidReason: Int32 = -67837
    package static let errSecInvalidRequestInputs: Int32 = -67838
    package static let errSecInvalidResponseVector: Int32 = -67839
    package static let errSecInvalidStopOnPolicy: Int32 = -67840
    package static let errSecInvalidTuple: Int32 = -67841
    package static let errSecMultipleValuesUnsupported: Int32 = -67842
    package static let errSecNotTrusted: Int32 = -67843
    package static let errSecNoDefaultAuthority: Int32 = -67844
    package static let errSecRejectedForm: Int32 = -67845
    package static let errSecRequestLost: Int32 = -67846
    package static let errSecRequestRejected: Int32 = -67847
    package static let errSecUnsupportedAddressType: Int32 = -67848
    package static let errSecUnsupportedService: Int32 = -67849
    package static let errSecInvalidTupleGroup: Int32 = -67850
    package static let errSecInvalidBaseACLs: Int32 = -67851
    package static let errSecInvalidTupleCredendtials: Int32 = -67852
    package static let errSecInvalidTupleCredentials: Int32 = -67852
    package static let errSecInvalidEncoding: Int32 = -67853
    package static let errSecInvalidValidityPeriod: Int32 = -67854
    package static let errSecInvalidRequestor: Int32 = -67855
    package static let errSecRequestDescriptor: Int32 = -67856
    package static let errSecInvalidBundleInfo: Int32 = -67857
    package static let errSecInvalidCRLIndex: Int32 = -67858
    package static let errSecNoFieldValues: Int32 = -67859
    package static let errSecUnsupportedFieldFormat: Int32 = -67860
    package static let errSecUnsupportedIndexInfo: Int32 = -67861
    package static let errSecUnsupportedLocality: Int32 = -67862
    package static let errSecUnsupportedNumAttributes: Int32 = -67863
    package static let errSecUnsupportedNumIndexes: Int32 = -67864
    package static let errSecUnsupportedNumRecordTypes: Int32 = -67865
    package static let errSecFieldSpecifiedMultiple: Int32 = -67866
    package static let errSecIncompatibleFieldFormat: Int32 = -67867
    package static let errSecInvalidParsingModule: Int32 = -67868
    package static let errSecDatabaseLocked: Int32 = -67869
    package static let errSecDatastoreIsOpen: Int32 = -67870
    package static let errSecMissingValue: Int32 = -67871
    package static let errSecUnsupportedQueryLimits: Int32 = -67872
    package static let errSecUnsupportedNumSelectionPreds: Int32 = -67873
    package static let errSecUnsupportedOperator: Int32 = -67874
    package static let errSecInvalidDBLocation: Int32 = -67875
    package static let errSecInvalidAccessRequest: Int32 = -67876
    package static let errSecInvalidIndexInfo: Int32 = -67877
    package static let errSecInvalidNewOwner: Int32 = -67878
    package static let errSecInvalidModifyMode: Int32 = -67879
    package static let errSecMissingRequiredExtension: Int32 = -67880
    package static let errSecExtendedKeyUsageNotCritical: Int32 = -67881
    package static let errSecTimestampMissing: Int32 = -67882
    package static let errSecTimestampInvalid: Int32 = -67883
    package static let errSecTimestampNotTrusted: Int32 = -67884
    package static let errSecTimestampServiceNotAvailable: Int32 = -67885
    package static let errSecTimestampBadAlg: Int32 = -67886
    package static let errSecTimestampBadRequest: Int32 = -67887
    package static let errSecTimestampBadDataFormat: Int32 = -67888
    package static let errSecTimestampTimeNotAvailable: Int32 = -67889
    package static let errSecTimestampUnacceptedPolicy: Int32 = -67890
    package static let errSecTimestampUnacceptedExtension: Int32 = -67891
    package static let errSecTimestampAddInfoNotAvailable: Int32 = -67892
    package static let errSecTimestampSystemFailure: Int32 = -67893
    package static let errSecSigningTimeMissing: Int32 = -67894
    package static let errSecTimestampRejection: Int32 = -67895
    package static let errSecTimestampWaiting: Int32 = -67896
    package static let errSecTimestampRevocationWarning: Int32 = -67897
    package static let errSecTimestampRevocationNotification: Int32 = -67898
    package static let errSecCertificatePolicyNotAllowed: Int32 = -67899
    package static let errSecCertificateNameNotAllowed: Int32 = -67900
    package static let errSecCertificateValidityPeriodTooLong: Int32 = -67901
    package static let errSecCertificateIsCA: Int32 = -67902
    package static let errSecCertificateDuplicateExtension: Int32 = -67903

    /// All of them, each name once.
    package static let all: [Entry] = [
        ("errSecSuccess", 0, "No error."),
        ("errSecUnimplemented", -4, "Function or operation not implemented."),
        ("errSecUnsupportedOperation", -4, "Function or operation not implemented."),
        ("errSecDiskFull", -34, "The disk is full."),
        ("errSecDskFull", -34, "The disk is full."),
        ("errSecIO", -36, "I/O error."),
        ("errSecOpWr", -49, "File already open with write permission."),
        ("errSecParam", -50, "One or more parameters passed to a function were not valid."),
        ("errSecWrPerm", -61, "Write permissions error."),
        ("errSecAllocate", -108, "Failed to allocate memory."),
        ("errSecUserCanceled", -128, "User canceled the operation."),
        ("errSecBadReq", -909, "Bad parameter or invalid state for operation."),
        ("errSecInternalComponent", -2070, "An internal component experienced an error."),
        ("errSecCoreFoundationUnknown", -4960, "An unknown Core Foundation error occurred."),
        ("errSSLCrypto", -9809, "An underlying cryptographic error was encountered."),
        ("errSecMissingEntitlement", -34018, "A required entitlement isn't present."),
        ("errSecUpgradePending", -34019, "The keychain is being upgraded; try again after unlocking."),
        ("errSecRestrictedAPI", -34020, "Client is restricted and is not permitted to perform this operation."),
        ("errSecNotAvailable", -25291, "No keychain is available. You may need to restart your computer."),
        ("errSecReadOnly", -25292, "This keychain cannot be modified."),
        ("errSecAuthFailed", -25293, "The user name or passphrase you entered is not correct."),
        ("errSecNoSuchKeychain", -25294, "The specified keychain could not be found."),
        ("errSecInvalidKeychain", -25295, "The specified keychain is not a valid keychain file."),
        ("errSecDuplicateKeychain", -25296, "A keychain with the same name already exists."),
        ("errSecDuplicateCallback", -25297, "The specified callback function is already installed."),
        ("errSecInvalidCallback", -25298, "The specified callback function is not valid."),
        ("errSecDuplicateItem", -25299, "The specified item already exists in the keychain."),
        ("errSecItemNotFound", -25300, "The specified item could not be found in the keychain."),
        ("errSecBufferTooSmall", -25301, "There is not enough memory available to use the specified item."),
        ("errSecDataTooLarge", -25302, "This item contains information which is too large or in a format that cannot be displayed."),
        ("errSecNoSuchAttr", -25303, "The specified attribute does not exist."),
        ("errSecInvalidItemRef", -25304, "The specified item is no longer valid. It may have been deleted from the keychain."),
        ("errSecInvalidSearchRef", -25305, "Unable to search the current keychain."),
        ("errSecNoSuchClass", -25306, "The specified item does not appear to be a valid keychain item."),
        ("errSecNoDefaultKeychain", -25307, "A default keychain could not be found."),
        ("errSecInteractionNotAllowed", -25308, "User interaction is not allowed."),
        ("errSecReadOnlyAttr", -25309, "The specified attribute could not be modified."),
        ("errSecWrongSecVersion", -25310, "This keychain was created by a different version of the system software and cannot be opened."),
        ("errSecKeySizeNotAllowed", -25311, "This item specifies a key size which is too large or too small."),
        ("errSecNoStorageModule", -25312, "A required component (data storage module) could not be loaded. You may need to restart your computer."),
        ("errSecNoCertificateModule", -25313, "A required component (certificate module) could not be loaded. You may need to restart your computer."),
        ("errSecNoPolicyModule", -25314, "A required component (policy module) could not be loaded. You may need to restart your computer."),
        ("errSecInteractionRequired", -25315, "User interaction is required, but is currently not allowed."),
        ("errSecDataNotAvailable", -25316, "The contents of this item cannot be retrieved."),
        ("errSecDataNotModifiable", -25317, "The contents of this item cannot be modified."),
        ("errSecCreateChainFailed", -25318, "One or more certificates required to validate this certificate cannot be found."),
        ("errSecInvalidPrefsDomain", -25319, "The specified preferences domain is not valid."),
        ("errSecInDarkWake", -25320, "In dark wake, no UI possible"),
        ("errSecAuthNeeded", -25330, "An authentication is needed."),
        ("errSecACLNotSimple", -25240, "The specified access control list is not in standard (simple) form."),
        ("errSecPolicyNotFound", -25241, "The specified policy cannot be found."),
        ("errSecInvalidTrustSetting", -25242, "The specified trust setting is invalid."),
        ("errSecNoAccessForItem", -25243, "The specified item has no access control."),
        ("errSecInvalidOwnerEdit", -25244, "Invalid attempt to change the owner of this item."),
        ("errSecTrustNotAvailable", -25245, "No trust results are available."),
        ("errSecUnsupportedFormat", -25256, "Import/Export format unsupported."),
        ("errSecUnknownFormat", -25257, "Unknown format in import."),
        ("errSecKeyIsSensitive", -25258, "Key material must be wrapped for export."),
        ("errSecMultiplePrivKeys", -25259, "An attempt was made to import multiple private keys."),
        ("errSecPassphraseRequired", -25260, "Passphrase is required for import/export."),
        ("errSecInvalidPasswordRef", -25261, "The password reference was invalid."),
        ("errSecInvalidTrustSettings", -25262, "The Trust Settings Record was corrupted."),
        ("errSecNoTrustSettings", -25263, "No Trust Settings were found."),
        ("errSecPkcs12VerifyFailure", -25264, "MAC verification failed during PKCS12 import (wrong password?)"),
        ("errSecNotSigner", -26267, "A certificate was not signed by its proposed parent."),
        ("errSecDecode", -26275, "Unable to decode the provided data."),
        ("errSecInternal", -26276, "An internal error occurred in the Security framework."),
        ("errSecServiceNotAvailable", -67585, "The required service is not available."),
        ("errSecInsufficientClientID", -67586, "The client ID is not correct."),
        ("errSecDeviceReset", -67587, "A device reset has occurred."),
        ("errSecDeviceFailed", -67588, "A device failure has occurred."),
        ("errSecAppleAddAppACLSubject", -67589, "Adding an application ACL subject failed."),
        ("errSecApplePublicKeyIncomplete", -67590, "The public key is incomplete."),
        ("errSecAppleSignatureMismatch", -67591, "A signature mismatch has occurred."),
        ("errSecAppleInvalidKeyStartDate", -67592, "The specified key has an invalid start date."),
        ("errSecAppleInvalidKeyEndDate", -67593, "The specified key has an invalid end date."),
        ("errSecConversionError", -67594, "A conversion error has occurred."),
        ("errSecAppleSSLv2Rollback", -67595, "A SSLv2 rollback error has occurred."),
        ("errSecQuotaExceeded", -67596, "The quota was exceeded."),
        ("errSecFileTooBig", -67597, "The file is too big."),
        ("errSecInvalidDatabaseBlob", -67598, "The specified database has an invalid blob."),
        ("errSecInvalidKeyBlob", -67599, "The specified database has an invalid key blob."),
        ("errSecIncompatibleDatabaseBlob", -67600, "The specified database has an incompatible blob."),
        ("errSecIncompatibleKeyBlob", -67601, "The specified database has an incompatible key blob."),
        ("errSecHostNameMismatch", -67602, "A host name mismatch has occurred."),
        ("errSecUnknownCriticalExtensionFlag", -67603, "There is an unknown critical extension flag."),
        ("errSecNoBasicConstraints", -67604, "No basic constraints were found."),
        ("errSecNoBasicConstraintsCA", -67605, "No basic CA constraints were found."),
        ("errSecInvalidAuthorityKeyID", -67606, "The authority key ID is not valid."),
        ("errSecInvalidSubjectKeyID", -67607, "The subject key ID is not valid."),
        ("errSecInvalidKeyUsageForPolicy", -67608, "The key usage is not valid for the specified policy."),
        ("errSecInvalidExtendedKeyUsage", -67609, "The extended key usage is not valid."),
        ("errSecInvalidIDLinkage", -67610, "The ID linkage is not valid."),
        ("errSecPathLengthConstraintExceeded", -67611, "The path length constraint was exceeded."),
        ("errSecInvalidRoot", -67612, "The root or anchor certificate is not valid."),
        ("errSecCRLExpired", -67613, "The CRL has expired."),
        ("errSecCRLNotValidYet", -67614, "The CRL is not yet valid."),
        ("errSecCRLNotFound", -67615, "The CRL was not found."),
        ("errSecNotInitialized", -67667, "A function was called without initializing CSSM."),
        ("errSecInternalError", -67671, "An internal error has occurred."),
        ("errSecMemoryError", -67672, "A memory error has occurred."),
        ("errSecInvalidData", -67673, "Invalid data was encountered."),
        ("errSecInvalidPointer", -67675, "An invalid pointer was encountered."),
        ("errSecFunctionFailed", -67677, "A function has failed."),
        ("errSecInvalidHandle", -67680, "An invalid handle was encountered."),
        ("errSecInvalidNumberOfFields", -67685, "An invalid number of fields were encountered."),
        ("errSecCRLServerDown", -67616, "The CRL server is down."),
        ("errSecCRLBadURI", -67617, "The CRL has a bad Uniform Resource Identifier."),
        ("errSecUnknownCertExtension", -67618, "An unknown certificate extension was encountered."),
        ("errSecUnknownCRLExtension", -67619, "An unknown CRL extension was encountered."),
        ("errSecCRLNotTrusted", -67620, "The CRL is not trusted."),
        ("errSecCRLPolicyFailed", -67621, "The CRL policy failed."),
        ("errSecIDPFailure", -67622, "The issuing distribution point was not valid."),
        ("errSecSMIMEEmailAddressesNotFound", -67623, "An email address mismatch was encountered."),
        ("errSecSMIMEBadExtendedKeyUsage", -67624, "The appropriate extended key usage for SMIME was not found."),
        ("errSecSMIMEBadKeyUsage", -67625, "The key usage is not compatible with SMIME."),
        ("errSecSMIMEKeyUsageNotCritical", -67626, "The key usage extension is not marked as critical."),
        ("errSecSMIMENoEmailAddress", -67627, "No email address was found in the certificate."),
        ("errSecSMIMESubjAltNameNotCritical", -67628, "The subject alternative name extension is not marked as critical."),
        ("errSecSSLBadExtendedKeyUsage", -67629, "The appropriate extended key usage for SSL was not found."),
        ("errSecOCSPBadResponse", -67630, "The OCSP response was incorrect or could not be parsed."),
        ("errSecOCSPBadRequest", -67631, "The OCSP request was incorrect or could not be parsed."),
        ("errSecOCSPUnavailable", -67632, "OCSP service is unavailable."),
        ("errSecOCSPStatusUnrecognized", -67633, "The OCSP server did not recognize this certificate."),
        ("errSecEndOfData", -67634, "An end-of-data was detected."),
        ("errSecIncompleteCertRevocationCheck", -67635, "An incomplete certificate revocation check occurred."),
        ("errSecNetworkFailure", -67636, "A network failure occurred."),
        ("errSecOCSPNotTrustedToAnchor", -67637, "The OCSP response was not trusted to a root or anchor certificate."),
        ("errSecRecordModified", -67638, "The record was modified."),
        ("errSecOCSPSignatureError", -67639, "The OCSP response had an invalid signature."),
        ("errSecOCSPNoSigner", -67640, "The OCSP response had no signer."),
        ("errSecOCSPResponderMalformedReq", -67641, "The OCSP responder was given a malformed request."),
        ("errSecOCSPResponderInternalError", -67642, "The OCSP responder encountered an internal error."),
        ("errSecOCSPResponderTryLater", -67643, "The OCSP responder is busy, try again later."),
        ("errSecOCSPResponderSignatureRequired", -67644, "The OCSP responder requires a signature."),
        ("errSecOCSPResponderUnauthorized", -67645, "The OCSP responder rejected this request as unauthorized."),
        ("errSecOCSPResponseNonceMismatch", -67646, "The OCSP response nonce did not match the request."),
        ("errSecCodeSigningBadCertChainLength", -67647, "Code signing encountered an incorrect certificate chain length."),
        ("errSecCodeSigningNoBasicConstraints", -67648, "Code signing found no basic constraints."),
        ("errSecCodeSigningBadPathLengthConstraint", -67649, "Code signing encountered an incorrect path length constraint."),
        ("errSecCodeSigningNoExtendedKeyUsage", -67650, "Code signing found no extended key usage."),
        ("errSecCodeSigningDevelopment", -67651, "Code signing indicated use of a development-only certificate."),
        ("errSecResourceSignBadCertChainLength", -67652, "Resource signing has encountered an incorrect certificate chain length."),
        ("errSecResourceSignBadExtKeyUsage", -67653, "Resource signing has encountered an error in the extended key usage."),
        ("errSecTrustSettingDeny", -67654, "The trust setting for this policy was set to Deny."),
        ("errSecInvalidSubjectName", -67655, "An invalid certificate subject name was encountered."),
        ("errSecUnknownQualifiedCertStatement", -67656, "An unknown qualified certificate statement was encountered."),
        ("errSecMobileMeRequestQueued", -67657, "The MobileMe request will be sent during the next connection."),
        ("errSecMobileMeRequestRedirected", -67658, "The MobileMe request was redirected."),
        ("errSecMobileMeServerError", -67659, "A MobileMe server error occurred."),
        ("errSecMobileMeServerNotAvailable", -67660, "The MobileMe server is not available."),
        ("errSecMobileMeServerAlreadyExists", -67661, "The MobileMe server reported that the item already exists."),
        ("errSecMobileMeServerServiceErr", -67662, "A MobileMe service error has occurred."),
        ("errSecMobileMeRequestAlreadyPending", -67663, "A MobileMe request is already pending."),
        ("errSecMobileMeNoRequestPending", -67664, "MobileMe has no request pending."),
        ("errSecMobileMeCSRVerifyFailure", -67665, "A MobileMe CSR verification failure has occurred."),
        ("errSecMobileMeFailedConsistencyCheck", -67666, "MobileMe has found a failed consistency check."),
        ("errSecInvalidHandleUsage", -67668, "The CSSM handle does not match with the service type."),
        ("errSecPVCReferentNotFound", -67669, "A reference to the calling module was not found in the list of authorized callers."),
        ("errSecFunctionIntegrityFail", -67670, "A function address was not within the verified module."),
        ("errSecMDSError", -67674, "A Module Directory Service error has occurred."),
        ("errSecSelfCheckFailed", -67676, "Self-check has failed."),
        ("errSecModuleManifestVerifyFailed", -67678, "A module manifest verification failure has occurred."),
        ("errSecInvalidGUID", -67679, "An invalid GUID was encountered."),
        ("errSecInvalidDBList", -67681, "An invalid DB list was encountered."),
        ("errSecInvalidPassthroughID", -67682, "An invalid passthrough ID was encountered."),
        ("errSecInvalidNetworkAddress", -67683, "An invalid network address was encountered."),
        ("errSecCRLAlreadySigned", -67684, "The certificate revocation list is already signed."),
        ("errSecVerificationFailure", -67686, "A verification failure occurred."),
        ("errSecUnknownTag", -67687, "An unknown tag was encountered."),
        ("errSecInvalidSignature", -67688, "An invalid signature was encountered."),
        ("errSecInvalidName", -67689, "An invalid name was encountered."),
        ("errSecInvalidCertificateRef", -67690, "An invalid certificate reference was encountered."),
        ("errSecInvalidCertificateGroup", -67691, "An invalid certificate group was encountered."),
        ("errSecTagNotFound", -67692, "The specified tag was not found."),
        ("errSecInvalidQuery", -67693, "The specified query was not valid."),
        ("errSecInvalidValue", -67694, "An invalid value was detected."),
        ("errSecCallbackFailed", -67695, "A callback has failed."),
        ("errSecACLDeleteFailed", -67696, "An ACL delete operation has failed."),
        ("errSecACLReplaceFailed", -67697, "An ACL replace operation has failed."),
        ("errSecACLAddFailed", -67698, "An ACL add operation has failed."),
        ("errSecACLChangeFailed", -67699, "An ACL change operation has failed."),
        ("errSecInvalidAccessCredentials", -67700, "Invalid access credentials were encountered."),
        ("errSecInvalidRecord", -67701, "An invalid record was encountered."),
        ("errSecInvalidACL", -67702, "An invalid ACL was encountered."),
        ("errSecInvalidSampleValue", -67703, "An invalid sample value was encountered."),
        ("errSecIncompatibleVersion", -67704, "An incompatible version was encountered."),
        ("errSecPrivilegeNotGranted", -67705, "The privilege was not granted."),
        ("errSecInvalidScope", -67706, "An invalid scope was encountered."),
        ("errSecPVCAlreadyConfigured", -67707, "The PVC is already configured."),
        ("errSecInvalidPVC", -67708, "An invalid PVC was encountered."),
        ("errSecEMMLoadFailed", -67709, "The EMM load has failed."),
        ("errSecEMMUnloadFailed", -67710, "The EMM unload has failed."),
        ("errSecAddinLoadFailed", -67711, "The add-in load operation has failed."),
        ("errSecInvalidKeyRef", -67712, "An invalid key was encountered."),
        ("errSecInvalidKeyHierarchy", -67713, "An invalid key hierarchy was encountered."),
        ("errSecAddinUnloadFailed", -67714, "The add-in unload operation has failed."),
        ("errSecLibraryReferenceNotFound", -67715, "A library reference was not found."),
        ("errSecInvalidAddinFunctionTable", -67716, "An invalid add-in function table was encountered."),
        ("errSecInvalidServiceMask", -67717, "An invalid service mask was encountered."),
        ("errSecModuleNotLoaded", -67718, "A module was not loaded."),
        ("errSecInvalidSubServiceID", -67719, "An invalid subservice ID was encountered."),
        ("errSecAttributeNotInContext", -67720, "An attribute was not in the context."),
        ("errSecModuleManagerInitializeFailed", -67721, "A module failed to initialize."),
        ("errSecModuleManagerNotFound", -67722, "A module was not found."),
        ("errSecEventNotificationCallbackNotFound", -67723, "An event notification callback was not found."),
        ("errSecInputLengthError", -67724, "An input length error was encountered."),
        ("errSecOutputLengthError", -67725, "An output length error was encountered."),
        ("errSecPrivilegeNotSupported", -67726, "The privilege is not supported."),
        ("errSecDeviceError", -67727, "A device error was encountered."),
        ("errSecAttachHandleBusy", -67728, "The CSP handle was busy."),
        ("errSecNotLoggedIn", -67729, "You are not logged in."),
        ("errSecAlgorithmMismatch", -67730, "An algorithm mismatch was encountered."),
        ("errSecKeyUsageIncorrect", -67731, "The key usage is incorrect."),
        ("errSecKeyBlobTypeIncorrect", -67732, "The key blob type is incorrect."),
        ("errSecKeyHeaderInconsistent", -67733, "The key header is inconsistent."),
        ("errSecUnsupportedKeyFormat", -67734, "The key header format is not supported."),
        ("errSecUnsupportedKeySize", -67735, "The key size is not supported."),
        ("errSecInvalidKeyUsageMask", -67736, "The key usage mask is not valid."),
        ("errSecUnsupportedKeyUsageMask", -67737, "The key usage mask is not supported."),
        ("errSecInvalidKeyAttributeMask", -67738, "The key attribute mask is not valid."),
        ("errSecUnsupportedKeyAttributeMask", -67739, "The key attribute mask is not supported."),
        ("errSecInvalidKeyLabel", -67740, "The key label is not valid."),
        ("errSecUnsupportedKeyLabel", -67741, "The key label is not supported."),
        ("errSecInvalidKeyFormat", -67742, "The key format is not valid."),
        ("errSecUnsupportedVectorOfBuffers", -67743, "The vector of buffers is not supported."),
        ("errSecInvalidInputVector", -67744, "The input vector is not valid."),
        ("errSecInvalidOutputVector", -67745, "The output vector is not valid."),
        ("errSecInvalidContext", -67746, "An invalid context was encountered."),
        ("errSecInvalidAlgorithm", -67747, "An invalid algorithm was encountered."),
        ("errSecInvalidAttributeKey", -67748, "A key attribute was not valid."),
        ("errSecMissingAttributeKey", -67749, "A key attribute was missing."),
        ("errSecInvalidAttributeInitVector", -67750, "An init vector attribute was not valid."),
        ("errSecMissingAttributeInitVector", -67751, "An init vector attribute was missing."),
        ("errSecInvalidAttributeSalt", -67752, "A salt attribute was not valid."),
        ("errSecMissingAttributeSalt", -67753, "A salt attribute was missing."),
        ("errSecInvalidAttributePadding", -67754, "A padding attribute was not valid."),
        ("errSecMissingAttributePadding", -67755, "A padding attribute was missing."),
        ("errSecInvalidAttributeRandom", -67756, "A random number attribute was not valid."),
        ("errSecMissingAttributeRandom", -67757, "A random number attribute was missing."),
        ("errSecInvalidAttributeSeed", -67758, "A seed attribute was not valid."),
        ("errSecMissingAttributeSeed", -67759, "A seed attribute was missing."),
        ("errSecInvalidAttributePassphrase", -67760, "A passphrase attribute was not valid."),
        ("errSecMissingAttributePassphrase", -67761, "A passphrase attribute was missing."),
        ("errSecInvalidAttributeKeyLength", -67762, "A key length attribute was not valid."),
        ("errSecMissingAttributeKeyLength", -67763, "A key length attribute was missing."),
        ("errSecInvalidAttributeBlockSize", -67764, "A block size attribute was not valid."),
        ("errSecMissingAttributeBlockSize", -67765, "A block size attribute was missing."),
        ("errSecInvalidAttributeOutputSize", -67766, "An output size attribute was not valid."),
        ("errSecMissingAttributeOutputSize", -67767, "An output size attribute was missing."),
        ("errSecInvalidAttributeRounds", -67768, "The number of rounds attribute was not valid."),
        ("errSecMissingAttributeRounds", -67769, "The number of rounds attribute was missing."),
        ("errSecInvalidAlgorithmParms", -67770, "An algorithm parameters attribute was not valid."),
        ("errSecMissingAlgorithmParms", -67771, "An algorithm parameters attribute was missing."),
        ("errSecInvalidAttributeLabel", -67772, "A label attribute was not valid."),
        ("errSecMissingAttributeLabel", -67773, "A label attribute was missing."),
        ("errSecInvalidAttributeKeyType", -67774, "A key type attribute was not valid."),
        ("errSecMissingAttributeKeyType", -67775, "A key type attribute was missing."),
        ("errSecInvalidAttributeMode", -67776, "A mode attribute was not valid."),
        ("errSecMissingAttributeMode", -67777, "A mode attribute was missing."),
        ("errSecInvalidAttributeEffectiveBits", -67778, "An effective bits attribute was not valid."),
        ("errSecMissingAttributeEffectiveBits", -67779, "An effective bits attribute was missing."),
        ("errSecInvalidAttributeStartDate", -67780, "A start date attribute was not valid."),
        ("errSecMissingAttributeStartDate", -67781, "A start date attribute was missing."),
        ("errSecInvalidAttributeEndDate", -67782, "An end date attribute was not valid."),
        ("errSecMissingAttributeEndDate", -67783, "An end date attribute was missing."),
        ("errSecInvalidAttributeVersion", -67784, "A version attribute was not valid."),
        ("errSecMissingAttributeVersion", -67785, "A version attribute was missing."),
        ("errSecInvalidAttributePrime", -67786, "A prime attribute was not valid."),
        ("errSecMissingAttributePrime", -67787, "A prime attribute was missing."),
        ("errSecInvalidAttributeBase", -67788, "A base attribute was not valid."),
        ("errSecMissingAttributeBase", -67789, "A base attribute was missing."),
        ("errSecInvalidAttributeSubprime", -67790, "A subprime attribute was not valid."),
        ("errSecMissingAttributeSubprime", -67791, "A subprime attribute was missing."),
        ("errSecInvalidAttributeIterationCount", -67792, "An iteration count attribute was not valid."),
        ("errSecMissingAttributeIterationCount", -67793, "An iteration count attribute was missing."),
        ("errSecInvalidAttributeDLDBHandle", -67794, "A database handle attribute was not valid."),
        ("errSecMissingAttributeDLDBHandle", -67795, "A database handle attribute was missing."),
        ("errSecInvalidAttributeAccessCredentials", -67796, "An access credentials attribute was not valid."),
        ("errSecMissingAttributeAccessCredentials", -67797, "An access credentials attribute was missing."),
        ("errSecInvalidAttributePublicKeyFormat", -67798, "A public key format attribute was not valid."),
        ("errSecMissingAttributePublicKeyFormat", -67799, "A public key format attribute was missing."),
        ("errSecInvalidAttributePrivateKeyFormat", -67800, "A private key format attribute was not valid."),
        ("errSecMissingAttributePrivateKeyFormat", -67801, "A private key format attribute was missing."),
        ("errSecInvalidAttributeSymmetricKeyFormat", -67802, "A symmetric key format attribute was not valid."),
        ("errSecMissingAttributeSymmetricKeyFormat", -67803, "A symmetric key format attribute was missing."),
        ("errSecInvalidAttributeWrappedKeyFormat", -67804, "A wrapped key format attribute was not valid."),
        ("errSecMissingAttributeWrappedKeyFormat", -67805, "A wrapped key format attribute was missing."),
        ("errSecStagedOperationInProgress", -67806, "A staged operation is in progress."),
        ("errSecStagedOperationNotStarted", -67807, "A staged operation was not started."),
        ("errSecVerifyFailed", -67808, "A cryptographic verification failure has occurred."),
        ("errSecQuerySizeUnknown", -67809, "The query size is unknown."),
        ("errSecBlockSizeMismatch", -67810, "A block size mismatch occurred."),
        ("errSecPublicKeyInconsistent", -67811, "The public key was inconsistent."),
        ("errSecDeviceVerifyFailed", -67812, "A device verification failure has occurred."),
        ("errSecInvalidLoginName", -67813, "An invalid login name was detected."),
        ("errSecAlreadyLoggedIn", -67814, "The user is already logged in."),
        ("errSecInvalidDigestAlgorithm", -67815, "An invalid digest algorithm was detected."),
        ("errSecInvalidCRLGroup", -67816, "An invalid CRL group was detected."),
        ("errSecCertificateCannotOperate", -67817, "The certificate cannot operate."),
        ("errSecCertificateExpired", -67818, "An expired certificate was detected."),
        ("errSecCertificateNotValidYet", -67819, "The certificate is not yet valid."),
        ("errSecCertificateRevoked", -67820, "The certificate was revoked."),
        ("errSecCertificateSuspended", -67821, "The certificate was suspended."),
        ("errSecInsufficientCredentials", -67822, "Insufficient credentials were detected."),
        ("errSecInvalidAction", -67823, "The action was not valid."),
        ("errSecInvalidAuthority", -67824, "The authority was not valid."),
        ("errSecVerifyActionFailed", -67825, "A verify action has failed."),
        ("errSecInvalidCertAuthority", -67826, "The certificate authority was not valid."),
        ("errSecInvaldCRLAuthority", -67827, "The CRL authority was not valid."),
        ("errSecInvalidCRLAuthority", -67827, "The CRL authority was not valid."),
        ("errSecInvalidCRLEncoding", -67828, "The CRL encoding was not valid."),
        ("errSecInvalidCRLType", -67829, "The CRL type was not valid."),
        ("errSecInvalidCRL", -67830, "The CRL was not valid."),
        ("errSecInvalidFormType", -67831, "The form type was not valid."),
        ("errSecInvalidID", -67832, "The ID was not valid."),
        ("errSecInvalidIdentifier", -67833, "The identifier was not valid."),
        ("errSecInvalidIndex", -67834, "The index was not valid."),
        ("errSecInvalidPolicyIdentifiers", -67835, "The policy identifiers are not valid."),
        ("errSecInvalidTimeString", -67836, "The time specified was not valid."),
        ("errSecInvalidReason", -67837, "The trust policy reason was not valid."),
        ("errSecInvalidRequestInputs", -67838, "The request inputs are not valid."),
        ("errSecInvalidResponseVector", -67839, "The response vector was not valid."),
        ("errSecInvalidStopOnPolicy", -67840, "The stop-on policy was not valid."),
        ("errSecInvalidTuple", -67841, "The tuple was not valid."),
        ("errSecMultipleValuesUnsupported", -67842, "Multiple values are not supported."),
        ("errSecNotTrusted", -67843, "The trust policy was not trusted."),
        ("errSecNoDefaultAuthority", -67844, "No default authority was detected."),
        ("errSecRejectedForm", -67845, "The trust policy had a rejected form."),
        ("errSecRequestLost", -67846, "The request was lost."),
        ("errSecRequestRejected", -67847, "The request was rejected."),
        ("errSecUnsupportedAddressType", -67848, "The address type is not supported."),
        ("errSecUnsupportedService", -67849, "The service is not supported."),
        ("errSecInvalidTupleGroup", -67850, "The tuple group was not valid."),
        ("errSecInvalidBaseACLs", -67851, "The base ACLs are not valid."),
        ("errSecInvalidTupleCredendtials", -67852, "The tuple credentials are not valid."),
        ("errSecInvalidTupleCredentials", -67852, "The tuple credentials are not valid."),
        ("errSecInvalidEncoding", -67853, "The encoding was not valid."),
        ("errSecInvalidValidityPeriod", -67854, "The validity period was not valid."),
        ("errSecInvalidRequestor", -67855, "The requestor was not valid."),
        ("errSecRequestDescriptor", -67856, "The request descriptor was not valid."),
        ("errSecInvalidBundleInfo", -67857, "The bundle information was not valid."),
        ("errSecInvalidCRLIndex", -67858, "The CRL index was not valid."),
        ("errSecNoFieldValues", -67859, "No field values were detected."),
        ("errSecUnsupportedFieldFormat", -67860, "The field format is not supported."),
        ("errSecUnsupportedIndexInfo", -67861, "The index information is not supported."),
        ("errSecUnsupportedLocality", -67862, "The locality is not supported."),
        ("errSecUnsupportedNumAttributes", -67863, "The number of attributes is not supported."),
        ("errSecUnsupportedNumIndexes", -67864, "The number of indexes is not supported."),
        ("errSecUnsupportedNumRecordTypes", -67865, "The number of record types is not supported."),
        ("errSecFieldSpecifiedMultiple", -67866, "Too many fields were specified."),
        ("errSecIncompatibleFieldFormat", -67867, "The field format was incompatible."),
        ("errSecInvalidParsingModule", -67868, "The parsing module was not valid."),
        ("errSecDatabaseLocked", -67869, "The database is locked."),
        ("errSecDatastoreIsOpen", -67870, "The data store is open."),
        ("errSecMissingValue", -67871, "A missing value was detected."),
        ("errSecUnsupportedQueryLimits", -67872, "The query limits are not supported."),
        ("errSecUnsupportedNumSelectionPreds", -67873, "The number of selection predicates is not supported."),
        ("errSecUnsupportedOperator", -67874, "The operator is not supported."),
        ("errSecInvalidDBLocation", -67875, "The database location is not valid."),
        ("errSecInvalidAccessRequest", -67876, "The access request is not valid."),
        ("errSecInvalidIndexInfo", -67877, "The index information is not valid."),
        ("errSecInvalidNewOwner", -67878, "The new owner is not valid."),
        ("errSecInvalidModifyMode", -67879, "The modify mode is not valid."),
        ("errSecMissingRequiredExtension", -67880, "A required certificate extension is missing."),
        ("errSecExtendedKeyUsageNotCritical", -67881, "The extended key usage extension was not marked critical."),
        ("errSecTimestampMissing", -67882, "A timestamp was expected but was not found."),
        ("errSecTimestampInvalid", -67883, "The timestamp was not valid."),
        ("errSecTimestampNotTrusted", -67884, "The timestamp was not trusted."),
        ("errSecTimestampServiceNotAvailable", -67885, "The timestamp service is not available."),
        ("errSecTimestampBadAlg", -67886, "An unrecognized or unsupported Algorithm Identifier in timestamp."),
        ("errSecTimestampBadRequest", -67887, "The timestamp transaction is not permitted or supported."),
        ("errSecTimestampBadDataFormat", -67888, "The timestamp data submitted has the wrong format."),
        ("errSecTimestampTimeNotAvailable", -67889, "The time source for the Timestamp Authority is not available."),
        ("errSecTimestampUnacceptedPolicy", -67890, "The requested policy is not supported by the Timestamp Authority."),
        ("errSecTimestampUnacceptedExtension", -67891, "The requested extension is not supported by the Timestamp Authority."),
        ("errSecTimestampAddInfoNotAvailable", -67892, "The additional information requested is not available."),
        ("errSecTimestampSystemFailure", -67893, "The timestamp request cannot be handled due to system failure."),
        ("errSecSigningTimeMissing", -67894, "A signing time was expected but was not found."),
        ("errSecTimestampRejection", -67895, "A timestamp transaction was rejected."),
        ("errSecTimestampWaiting", -67896, "A timestamp transaction is waiting."),
        ("errSecTimestampRevocationWarning", -67897, "A timestamp authority revocation warning was issued."),
        ("errSecTimestampRevocationNotification", -67898, "A timestamp authority revocation notification was issued."),
        ("errSecCertificatePolicyNotAllowed", -67899, "The requested policy is not allowed for this certificate."),
        ("errSecCertificateNameNotAllowed", -67900, "The requested name is not allowed for this certificate."),
        ("errSecCertificateValidityPeriodTooLong", -67901, "The validity period in the certificate exceeds the maximum allowed."),
        ("errSecCertificateIsCA", -67902, "The verified certificate is a CA rather than an end-entity."),
        ("errSecCertificateDuplicateExtension", -67903, "The certificate contains multiple extensions with the same extension ID."),
    ]
}
