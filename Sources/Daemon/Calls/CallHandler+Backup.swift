internal import KSKeychainFiles
package import KSAgent
internal import KSKeychain

extension CallHandler {
    package func backupValue(of request: AgentRequest) async throws -> AgentValue {
        guard let path = request.arguments["path"]?.string,
            let passphrase = request.arguments["passphrase"]?.data
        else { throw CommandFailure.malformedCall }
        // The memory that stretching took is given back, whatever came of it.
        defer { ProcessProtection.giveMemoryBack() }
        if request.call == "backup" {
            let path = try OwnFolder(path: shelf.places.homePath).outside(path)
            let count = try await owner.backUp(to: path, passphrase: passphrase)
            return ["items": .integer(Int64(count))]
        }
        let counts = try await owner.restore(from: path, passphrase: passphrase)
        return [
            "added": .integer(Int64(counts.added)),
            "replaced": .integer(Int64(counts.replaced)),
            "kept": .integer(Int64(counts.kept)),
            "unchanged": .integer(Int64(counts.unchanged)),
        ]
    }
}
