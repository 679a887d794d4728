/// All forms of some secrets, ready to be found in a stream in one pass.
package struct MaskingPatterns: Sendable {
    /// Secrets below this number of bytes are not masked, since they occur by chance everywhere.
    package static let secretBytesMin = SecretForms.secretBytesMin

    let forms: FormAutomaton
    /// Base64, in which lines may end anywhere: this one never meets a line's end.
    let base64: FormAutomaton

    /// - Parameter secrets: those that are too short are left out, as are empty ones.
    package init(secrets: some Sequence<[UInt8]>) {
        let secrets = Array(secrets)
        forms = FormAutomaton(secrets.map(SecretForms.all))
        base64 = FormAutomaton(secrets.map(SecretForms.base64))
    }

    /// Whether nothing is masked at all.
    package var isEmpty: Bool { forms.isEmpty && base64.isEmpty }
}

/// Finds forms in a stream.
///
/// Source: Aho and Corasick, "Efficient String Matching: An Aid to Bibliographic Search" (1975).
/// A state stands for the longest end of the stream that is the beginning of a form. A secret of
/// `n` bytes makes some `15 n` states of 17 bytes.
struct FormAutomaton: Sendable {
    private var bytes: [UInt8] = [0]
    private var firstChild: [Int32] = [0]
    private var nextSibling: [Int32] = [0]
    /// The state of the longest proper end that is the beginning of a form too.
    private var fallback: [Int32] = [0]
    private var depths: [Int32] = [0]
    /// The length of the longest form that ends in this state, or 0.
    private var lengths: [Int32] = [0]
    /// The states after one byte.
    private var roots = [Int32](repeating: 0, count: 256)

    init(_ forms: [Set<[UInt8]>]) {
        let all = forms.reduce(into: Set()) { $0.formUnion($1) }
        for form in all { add(form) }
        link()
    }

    var isEmpty: Bool { bytes.count == 1 }

    private func child(of state: Int32, _ byte: UInt8) -> Int32 {
        if state == 0 { return roots[Int(byte)] }
        var child = firstChild[Int(state)]
        while child != 0, bytes[Int(child)] != byte { child = nextSibling[Int(child)] }
        return child
    }

    private mutating func add(_ form: [UInt8]) {
        var state: Int32 = 0
        for byte in form {
            let next = child(of: state, byte)
            state = next != 0 ? next : addChild(of: state, byte)
        }
        lengths[Int(state)] = Int32(form.count)
    }

    private mutating func addChild(of parent: Int32, _ byte: UInt8) -> Int32 {
        let state = Int32(bytes.count)
        bytes.append(byte)
        firstChild.append(0)
        nextSibling.append(firstChild[Int(parent)])
        firstChild[Int(parent)] = state
        fallback.append(0)
        depths.append(depths[Int(parent)] + 1)
        lengths.append(0)
        if parent == 0 { roots[Int(byte)] = state }
        return state
    }

    /// Sets the fallbacks, nearest states first.
    private mutating func link() {
        var queue: [Int32] = [0]
        var position = 0
        while position < queue.count {
            let parent = queue[position]
            position += 1
            var state = firstChild[Int(parent)]
            while state != 0 {
                if parent != 0 {
                    let other = next(fallback[Int(parent)], bytes[Int(state)])
                    fallback[Int(state)] = other
                    if lengths[Int(state)] == 0 { lengths[Int(state)] = lengths[Int(other)] }
                }
                queue.append(state)
                state = nextSibling[Int(state)]
            }
        }
    }

    /// The state after one more byte.
    func next(_ state: Int32, _ byte: UInt8) -> Int32 {
        var state = state
        while true {
            let child = child(of: state, byte)
            if child != 0 || state == 0 { return child }
            state = fallback[Int(state)]
        }
    }

    /// How many of the last bytes may be the beginning of a form.
    func depth(_ state: Int32) -> Int { Int(depths[Int(state)]) }

    /// The length of the longest form that the last bytes are, or 0.
    func length(_ state: Int32) -> Int { Int(lengths[Int(state)]) }
}
