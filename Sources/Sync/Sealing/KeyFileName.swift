/// The small files of a device's home that hold keys.
package enum KeyFileName: String, Hashable, Sendable, CaseIterable {
    case deviceSecret = "device-secret"
    case keyBag = "key-bag"
    case devicePins = "device-pins"
}
