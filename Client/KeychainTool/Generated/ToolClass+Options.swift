// DO NOT EDIT: scripts/generate-tables makes this from attributes.table and options.table.
// swift-format-ignore-file

extension ToolClass {
    /// The options that name an attribute.
    var options: [AttributeOption] {
        switch self {
        case .genericPassword:
            [
                AttributeOption(letter: "a", attribute: "acct", form: .text),
                AttributeOption(letter: "s", attribute: "svce", form: .text),
                AttributeOption(letter: "l", attribute: "labl", form: .text),
                AttributeOption(letter: "D", attribute: "desc", form: .text),
                AttributeOption(letter: "G", attribute: "gena", form: .data),
                AttributeOption(letter: "j", attribute: "icmt", form: .text),
                AttributeOption(letter: "c", attribute: "crtr", form: .code),
                AttributeOption(letter: "C", attribute: "type", form: .code),
            ]
        case .internetPassword:
            [
                AttributeOption(letter: "a", attribute: "acct", form: .text),
                AttributeOption(letter: "s", attribute: "srvr", form: .text),
                AttributeOption(letter: "d", attribute: "sdmn", form: .text),
                AttributeOption(letter: "p", attribute: "path", form: .text),
                AttributeOption(letter: "P", attribute: "port", form: .number),
                AttributeOption(letter: "r", attribute: "ptcl", form: .letters),
                AttributeOption(letter: "t", attribute: "atyp", form: .letters),
                AttributeOption(letter: "l", attribute: "labl", form: .text),
                AttributeOption(letter: "D", attribute: "desc", form: .text),
                AttributeOption(letter: "j", attribute: "icmt", form: .text),
                AttributeOption(letter: "c", attribute: "crtr", form: .code),
                AttributeOption(letter: "C", attribute: "type", form: .code),
            ]
        case .key:
            [
                AttributeOption(letter: "a", attribute: "klbl", form: .data),
                AttributeOption(letter: "l", attribute: "labl", form: .text),
                AttributeOption(letter: "t", attribute: "kcls", form: .choice(["public", "private", "symmetric"])),
                AttributeOption(letter: "d", attribute: "decr", form: .flag),
                AttributeOption(letter: "e", attribute: "encr", form: .flag),
                AttributeOption(letter: "r", attribute: "drve", form: .flag),
                AttributeOption(letter: "u", attribute: "unwp", form: .flag),
                AttributeOption(letter: "s", attribute: "sign", form: .flag),
                AttributeOption(letter: "v", attribute: "vrfy", form: .flag),
                AttributeOption(letter: "w", attribute: "wrap", form: .flag),
            ]
        case .certificate: []
        }
    }

    /// The attributes of its own that make two items of the class different.
    var keyNames: [String] {
        switch self {
        case .genericPassword: ["acct", "svce"]
        case .internetPassword: ["acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path"]
        case .certificate: ["ctyp", "issr", "slnr"]
        case .key: ["kcls", "klbl", "atag", "type", "bsiz", "esiz", "sdat", "edat", "crtr"]
        }
    }
}
