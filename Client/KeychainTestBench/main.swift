internal import KSAgent
internal import KSBytes
internal import KSRPC
internal import KSTestBench

// `keychain rpc --test`: works on a keychain of its own, which ends with the program.
ProcessProtection.crashSilently()
if CommandLine.arguments.dropFirst() == ["--version"] {
    print(ProgramVersion.text)
} else {
    RPCSession(keychain: try TestKeychain()).serve()
}
