import Glibc
import KSEditing
import KSRunning

/// Runs a program, or edits a text, as `keychain` does, for tests.
///
/// The secrets of `run` are in SECRETS, after commas. `edit` takes a text, a folder on a disk, and
/// the folder that counts as shared memory.
let words = CommandLine.arguments.dropFirst().map { Array($0.utf8) }
let names = CommandLine.arguments

func run() throws(RunError) -> Int32 {
    let arguments = Array(words.dropFirst())
    let program = try Program(arguments: arguments, environment: Program.ownEnvironment)
    if names[1] == "exec" { try program.replaceThisProcess() }
    let secrets = unsafe getenv("SECRETS").map { unsafe String(cString: $0) } ?? ""
    return try program.run(masking: secrets.split(separator: ",").map { Array($0.utf8) }).exitCode
}

func edit() throws(EditorError) {
    let editor = names.count > 4 ? Editor(sharedMemory: names[4]) : Editor()
    let folder = names.count > 3 && !names[3].isEmpty ? names[3] : nil
    let edited = try editor.edit(Array(names[2].utf8), onDisk: folder)
    print(edited.map { "edited " + String(decoding: $0, as: UTF8.self) } ?? "unchanged")
}

guard names.count > 2 else { exit(64) }
do {
    if names[1] == "edit" { try edit() } else { exit(try run()) }
} catch {
    print(error)
    exit((error as? RunError)?.exitCode ?? 1)
}
