// 1Password's export, 1PUX: what its members are here.
//
// Source: support.1password.com/1pux-format.

extension EntryFormat {
    static let onePassword = EntryFormat(
        name: OnePassword.name,
        isFormat: { OnePassword.isFile($0) },
        read: { file throws(MovingError) in try OnePasswordReader.read(file) },
        write: nil
    )
}

enum OnePassword {
    static let name = "1pux"
    static let data = "export.data"

    static func isFile(_ file: SourceFile) -> Bool {
        if let outline = file.outline {
            return outline.has("accounts") && !outline.has("exporterRpId")
        }
        return ExportArchive.names(file)?.contains(data) == true
    }

    static let noteCategory = "003"

    /// The types of entries by their categories, with the name of what becomes another type.
    static let categories: [String: (type: String, name: String?)] = [
        "001": ("login", nil), "002": ("card", nil), "003": ("note", nil),
        "004": ("identity", nil), "005": ("password", nil), "006": ("note", "document"),
        "100": ("note", "software license"), "101": ("identity", "bank account"),
        "102": ("login", "database"), "103": ("identity", "driver license"),
        "104": ("identity", "outdoor license"), "105": ("identity", "membership"),
        "106": ("identity", "passport"), "107": ("identity", "reward program"),
        "108": ("identity", "social security number"), "109": ("wifi", nil),
        "110": ("login", "server"), "111": ("login", "email account"),
        "112": ("password", "API credential"), "113": ("identity", "medical record"),
        "114": ("ssh-key", nil), "115": ("note", "crypto wallet"),
    ]

    /// The fields that have a usual name here, by type and the id there.
    static let fields: [String: [String: (name: String, kind: String)]] = [
        "card": [
            "cardholder": ("holder", "text"), "type": ("brand", "text"),
            "ccnum": ("number", "secret"), "cvv": ("code", "secret"),
            "expiry": ("expires", "month"), "pin": ("pin", "secret"),
            "validFrom": ("valid from", "month"),
        ],
        "identity": [
            "firstname": ("first name", "text"), "lastname": ("last name", "text"),
            "company": ("company", "text"), "email": ("email", "email"),
            "defphone": ("phone", "phone"), "birthdate": ("born", "date"),
        ],
        "wifi": ["network_name": ("network", "text"), "wireless_security": ("security", "text")],
    ]

    /// The ids of the fields that are the password, and of those that are the user name.
    static let secretIDs: Set = ["password", "credential", "wireless_password", "pop_password"]
    static let userNameIDs: Set = ["username", "pop_username"]

    /// The kinds of a login's form fields; all others are text.
    static let formKinds = ["P": "secret", "E": "email", "U": "url", "TEL": "phone"]
    /// The kinds of values that are a text there; all others are text here too.
    static let valueKinds = [
        "concealed": "secret", "creditCardNumber": "secret", "url": "url", "phone": "phone",
        "email": "email",
    ]
    static let texts: Set = [
        "string", "concealed", "url", "phone", "menu", "gender", "creditCardType",
        "creditCardNumber",
    ]

    static let address = [
        ("street", "street"), ("city", "city"), ("state", "state"), ("zip", "postcode"),
        ("country", "country"),
    ]

    static let itemMembers: Set = [
        "uuid", "favIndex", "createdAt", "updatedAt", "state", "trashed", "categoryUuid",
        "details", "overview",
    ]
    /// What is computed, or read elsewhere.
    static let overviewMembers: Set = [
        "title", "subtitle", "url", "urls", "tags", "ps", "pbe", "pgrng", "icons", "ainfo",
        "watchtowerExclusions",
    ]
    static let detailMembers: Set = [
        "loginFields", "notesPlain", "sections", "passwordHistory", "documentAttributes",
        "password",
    ]
}
