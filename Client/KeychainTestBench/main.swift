internal import KSAgent
internal import KSRPC
internal import KSTestBench

// `keychain rpc --test`: works on a keychain of its own, which ends with the program.
ProcessProtection.crashSilently()
RPCSession(keychain: try TestKeychain()).serve()
