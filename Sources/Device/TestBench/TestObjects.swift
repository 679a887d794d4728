package import KSAgent
internal import KSRPC
internal import KSCertificates
internal import KSDigests
internal import Foundation
internal import KSPrivateKeys

/// Certificates, keys and identities that are always the same, for tests.
///
/// Nothing but tests knows them; their private keys protect nothing.
package struct TestObjects: RPCObjects {
    package static let shared = TestObjects(PackageResources.test_objects_txt)

    private let objects: [String: AgentDictionary]
    private let names: [(object: AgentDictionary, name: String)]

    /// Reads lines of a kind, a name, and what belongs to it in base64.
    private init(_ text: [UInt8]) {
        var objects: [String: AgentDictionary] = [:]
        var names: [(object: AgentDictionary, name: String)] = []
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            let parts = words.dropFirst(2).compactMap { Data(base64Encoded: String($0)) }
                .map { [UInt8]($0) }
            guard words.count > 2, parts.count == words.count - 2 else { continue }
            for (name, object) in Self.objects(String(words[0]), String(words[1]), parts) {
                objects[name] = object
                names.append((object, name))
            }
        }
        self.objects = objects
        self.names = names
    }

    private static func objects(
        _ kind: String,
        _ name: String,
        _ parts: [[UInt8]]
    ) -> [(String, AgentDictionary)] {
        switch kind {
        case "cert": return [("cert:\(name)", certificate(parts[0]))]
        case "key":
            return [
                ("key:\(name)", key(parts[0])),
                ("public-key:\(name)", publicKey(Array(parts[0].prefix(65)))),
            ]
        default:
            var identity = key(parts[1])
            identity["$ref"] = "idnt"
            identity["certificate"] = .data(parts[0])
            return [
                ("identity:\(name)", identity),
                ("cert-of-identity:\(name)", certificate(parts[0])),
                ("key-of-identity:\(name)", key(parts[1])),
            ]
        }
    }

    private static func certificate(_ der: [UInt8]) -> AgentDictionary {
        ["$ref": "cert", "certificate": .data(der)]
    }

    /// A private key: a point and a number of a P-256 key, else RSA's.
    private static func key(_ bytes: [UInt8]) -> AgentDictionary {
        let kind: PrivateKey.Kind = bytes.count == 97 ? .ellipticCurve : .rsa
        var object: AgentDictionary = [
            "$ref": "keys", "key": .data(bytes), "kcls": "1", "type": .string(kind.rawValue),
            "bsiz": kind == .rsa ? 2048 : 256,
        ]
        // All of them can be read, as a test sees to.
        let key = try? PrivateKey(external: bytes, kind: kind)
        object["klbl"] = key.map { .data($0.publicKeyHash) }
        return object
    }

    private static func publicKey(_ bytes: [UInt8]) -> AgentDictionary {
        [
            "$ref": "keys", "key": .data(bytes), "kcls": "0", "type": "73", "bsiz": 256,
            "klbl": .data(SHA1.hash(bytes)),
        ]
    }

    package func object(named name: String) -> AgentDictionary? { objects[name] }

    package func name(of object: AgentDictionary) -> String? {
        // What it is known by decides, not what its item is called.
        let parts = ["$ref", "certificate", "key"]
        return names.first { known in parts.allSatisfy { known.object[$0] == object[$0] } }?.name
    }

    package func bytes(named name: String) -> [UInt8]? {
        switch name {
        case "<public key hash>": parsed("cert-of-identity:A")?.publicKeyHash
        case "<normalised DER name>": parsed("cert:root")?.subject
        default: nil
        }
    }

    package func seconds(named name: String) -> Double? {
        switch name {
        // All are valid from 2020 to 2050.
        case "inside validity": 1_000_000_000
        case "after validity": 3_000_000_000
        case "now": Date().timeIntervalSinceReferenceDate
        default: nil
        }
    }

    private func parsed(_ name: String) -> ParsedCertificate? {
        // All of them can be read, as a test sees to.
        objects[name]?["certificate"]?.data.flatMap { try? ParsedCertificate(der: $0) }
    }
}
