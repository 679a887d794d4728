// The one file that a package adds: all others say only `import Foundation`, as on Apple systems.
@_exported import UbiquitousKeyValueStore
