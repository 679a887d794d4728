// DO NOT EDIT: scripts/generate-tables makes this from options.table.
// swift-format-ignore-file

extension Tool {
    static let globalLetters = OptionLetters(valued: "p", flags: "hilqvR")
    static let globalUsage = "[-h] [-i] [-l] [-p prompt] [-q] [-v] [--home DIR]"
    static let globalHelp = "    -h    Show this.\n    -i    Read commands from standard input.\n    -l    Accepted; there is no program to look for leaks with.\n    -p    Prompt with this text (with -i).\n    -q    Say less.\n    -v    Show each command before it is carried out.\n"
}
