package import KSSealing
extension LocalKeyFile {
    /// Reads every file again, as a start would.
    ///
    /// - Returns: what is wrong with each; nil where all is well.
    package func inspect() -> [(file: KeyFileName, problem: SealingError?)] {
        KeyFileName.allCases.map { name in
            do throws(SealingError) {
                switch name {
                case .deviceSecret:
                    guard let bytes = try storage.read(name) else { throw .keyFileMissing(name) }
                    let other = try DeviceSecretFile(decoding: bytes)
                    guard other.deviceID == deviceID else { throw .keyFileDamaged(name) }
                case .keyBag:
                    _ = try deviceTierKeys(of: readBag())
                case .devicePins:
                    // A device that has no account yet has pinned nothing.
                    _ = try pins()
                }
                return (name, nil)
            } catch {
                return (name, error)
            }
        }
    }
}
