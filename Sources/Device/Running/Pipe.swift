internal import KSCLinux

/// A new pipe, whose ends no program inherits.
package struct Pipe {
    package let reading: Int32
    package let writing: Int32

    /// Nil if the system refuses; `errno` says why.
    package init?() {
        var ends: [Int32] = [-1, -1]
        guard unsafe keychain_pipe(&ends) == 0 else { return nil }
        reading = ends[0]
        writing = ends[1]
    }
}
