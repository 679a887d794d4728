import Foundation
import KSDigests
import KSMoving
import KSTestSupport
import Synchronization
import Testing

/// A file of the folder `Files`, whose README says who has made it.
func testFile(
    _ name: String,
    password: String? = nil,
    keyFile: String? = nil
) throws -> SourceFile {
    func bytes(_ name: String) throws -> [UInt8] {
        let folder = try #require(Bundle.module.resourceURL).appending(path: "Files")
        return Array(try Data(contentsOf: folder.appending(path: name)))
    }
    return SourceFile(
        try bytes(name),
        name: name,
        password: password.map { Array($0.utf8) },
        keyFile: try keyFile.map(bytes)
    )
}

/// Random bytes that repeat from their seed.
final class SeededSource: RandomSource {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in
            (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    }
}
