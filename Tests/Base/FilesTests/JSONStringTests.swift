import Foundation
import KSBytes
import Testing

struct JSONStringTests {
    @Test
    func `a text is written as JSON reads it`() throws {
        let text = "a\"b\\c\n\r\t\u{1}\u{7F}ü/"
        #expect(text.quotedAsJSON == #""a\"b\\c\n\r\t\u0001\u007fü/""#)
        for value in UInt32(0)...0x2FFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "x\(Character(scalar))y"
            let read = try JSONDecoder().decode(String.self, from: Data(text.quotedAsJSON.utf8))
            #expect(read.unicodeScalars.elementsEqual(text.unicodeScalars))
        }
    }
}
