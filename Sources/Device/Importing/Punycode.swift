/// Names of hosts with other letters than ASCII's, in the form in which the network has them.
///
/// Source: RFC 3492, with the parameters of its section 5.
package enum Punycode {
    private static let (base, tMin, tMax, skew, damp) = (36, 1, 26, 38, 700)
    private static let (firstBias, firstCode) = (72, 128)

    /// A host whose labels begin with `xn--` where they have other letters: lower case before.
    package static func host(_ host: some StringProtocol) -> String {
        host.lowercased().split(separator: ".", omittingEmptySubsequences: false).map { label in
            label.utf8.allSatisfy { $0 < 0x80 } ? String(label) : "xn--" + encoded(label)
        }.joined(separator: ".")
    }

    private static func encoded(_ label: Substring) -> String {
        let codes = label.unicodeScalars.map { Int($0.value) }
        var output = codes.filter { $0 < firstCode }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (code, delta, bias, done) = (firstCode, 0, firstBias, basicCount)
        while done < codes.count, let next = codes.filter({ $0 >= code }).min() {
            delta += (next - code) * (done + 1)
            code = next
            for other in codes {
                if other < code { delta += 1 }
                guard other == code else { continue }
                appendInteger(delta, bias, &output)
                bias = adapted(delta, count: done + 1, isFirst: done == basicCount)
                delta = 0
                done += 1
            }
            delta += 1
            code += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func appendInteger(_ number: Int, _ bias: Int, _ output: inout [UInt8]) {
        var rest = number
        var position = base
        while true {
            let threshold = min(max(position - bias, tMin), tMax)
            guard rest >= threshold else { return output.append(digit(rest)) }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
    }

    private static func digit(_ number: Int) -> UInt8 {
        UInt8(number < 26 ? number + 0x61 : number - 26 + 0x30)
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            steps += base
        }
        return steps + (base - tMin + 1) * delta / (delta + skew)
    }
}
