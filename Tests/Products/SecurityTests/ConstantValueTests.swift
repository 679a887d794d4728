import KSSecurityNames
import Testing

/// The strings of Apple's constants, written once more: programs have stored them.
struct ConstantValueTests {
    private static let accessibles = [
        "kSecAttrAccessibleWhenUnlocked": "ak", "kSecAttrAccessibleAfterFirstUnlock": "ck",
        "kSecAttrAccessibleAlways": "dk", "kSecAttrAccessibleWhenUnlockedThisDeviceOnly": "aku",
        "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly": "cku",
        "kSecAttrAccessibleAlwaysThisDeviceOnly": "dku",
        "kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly": "akpu",
        "kSecAttrAccessibleUntilReboot": "f",
    ]

    private static let keys = [
        "kSecAttrKeyClassPublic": "0", "kSecAttrKeyClassPrivate": "1",
        "kSecAttrKeyClassSymmetric": "2", "kSecAttrKeyTypeRSA": "42", "kSecAttrKeyTypeEC": "73",
        "kSecAttrKeyTypeECSECPrimeRandom": "73", "kSecAttrKeyTypeEd25519": "105",
        "kSecAttrKeyTypeX25519": "106", "kSecAttrKeyTypeMLKEM": "110",
        "kSecAttrKeyTypeMLDSA": "111",
    ]

    private static let authenticationTypes = [
        "kSecAttrAuthenticationTypeNTLM": "ntlm", "kSecAttrAuthenticationTypeMSN": "msna",
        "kSecAttrAuthenticationTypeDPA": "dpaa", "kSecAttrAuthenticationTypeRPA": "rpaa",
        "kSecAttrAuthenticationTypeHTTPBasic": "http",
        "kSecAttrAuthenticationTypeHTTPDigest": "httd",
        "kSecAttrAuthenticationTypeHTMLForm": "form",
        "kSecAttrAuthenticationTypeDefault": "dflt",
    ]

    private static let protocols = [
        "kSecAttrProtocolFTP": "ftp ", "kSecAttrProtocolFTPAccount": "ftpa",
        "kSecAttrProtocolHTTP": "http", "kSecAttrProtocolIRC": "irc ",
        "kSecAttrProtocolNNTP": "nntp", "kSecAttrProtocolPOP3": "pop3",
        "kSecAttrProtocolSMTP": "smtp", "kSecAttrProtocolSOCKS": "sox ",
        "kSecAttrProtocolIMAP": "imap", "kSecAttrProtocolLDAP": "ldap",
        "kSecAttrProtocolAppleTalk": "atlk", "kSecAttrProtocolAFP": "afp ",
        "kSecAttrProtocolTelnet": "teln", "kSecAttrProtocolSSH": "ssh ",
        "kSecAttrProtocolFTPS": "ftps", "kSecAttrProtocolHTTPS": "htps",
        "kSecAttrProtocolHTTPProxy": "htpx", "kSecAttrProtocolHTTPSProxy": "htsx",
        "kSecAttrProtocolFTPProxy": "ftpx", "kSecAttrProtocolSMB": "smb ",
        "kSecAttrProtocolRTSP": "rtsp", "kSecAttrProtocolRTSPProxy": "rtsx",
        "kSecAttrProtocolDAAP": "daap", "kSecAttrProtocolEPPC": "eppc",
        "kSecAttrProtocolIPP": "ipp ", "kSecAttrProtocolNNTPS": "ntps",
        "kSecAttrProtocolLDAPS": "ldps", "kSecAttrProtocolTelnetS": "tels",
        "kSecAttrProtocolIMAPS": "imps", "kSecAttrProtocolIRCS": "ircs",
        "kSecAttrProtocolPOP3S": "pops",
    ]

    @Test
    func `each attribute value is Apple's string`() {
        for list in [
            Self.accessibles, Self.keys, Self.authenticationTypes, Self.protocols,
            ["kSecAttrSynchronizableAny": "syna", "kSecUseDataProtectionKeychain": "nleg"],
        ] {
            for (name, value) in list {
                #expect(SecConstants.value(of: name) == value, "\(name)")
            }
        }
    }

    @Test
    func `protocols and authentication types all differ`() {
        func count(_ prefix: String) -> Int {
            SecConstants.all.count { $0.name.hasPrefix(prefix) && $0.name != prefix }
        }
        #expect(count("kSecAttrProtocol") == Self.protocols.count)
        #expect(Set(Self.protocols.values).count == 31)
        #expect(count("kSecAttrAuthenticationType") == Self.authenticationTypes.count)
        #expect(Set(Self.authenticationTypes.values).count == 8)
    }
}
