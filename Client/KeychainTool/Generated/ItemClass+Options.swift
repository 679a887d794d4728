// DO NOT EDIT: scripts/generate-tables makes this from attributes.table and options.table.
// swift-format-ignore-file

extension ItemClass {
    /// The options that name an attribute.
    var options: [AttributeOption] {
        switch self {
        case .genericPassword:
            [
                AttributeOption("a", "acct", .text),
                AttributeOption("s", "svce", .text),
                AttributeOption("l", "labl", .text),
                AttributeOption("D", "desc", .text),
                AttributeOption("G", "gena", .data),
                AttributeOption("j", "icmt", .text),
                AttributeOption("c", "crtr", .code),
                AttributeOption("C", "type", .code),
            ]
        case .internetPassword:
            [
                AttributeOption("a", "acct", .text),
                AttributeOption("s", "srvr", .text),
                AttributeOption("d", "sdmn", .text),
                AttributeOption("p", "path", .text),
                AttributeOption("P", "port", .number),
                AttributeOption("r", "ptcl", .letters),
                AttributeOption("t", "atyp", .letters),
                AttributeOption("l", "labl", .text),
                AttributeOption("D", "desc", .text),
                AttributeOption("j", "icmt", .text),
                AttributeOption("c", "crtr", .code),
                AttributeOption("C", "type", .code),
            ]
        case .key:
            [
                AttributeOption("a", "klbl", .data),
                AttributeOption("l", "labl", .text),
                AttributeOption("t", "kcls", .choice(["public", "private", "symmetric"])),
                AttributeOption("d", "decr", .flag),
                AttributeOption("e", "encr", .flag),
                AttributeOption("r", "drve", .flag),
                AttributeOption("u", "unwp", .flag),
                AttributeOption("s", "sign", .flag),
                AttributeOption("v", "vrfy", .flag),
                AttributeOption("w", "wrap", .flag),
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
