internal import KSBytes
package import KSDaemon
internal import KSQRCodes

/// A kit as a page of A4 to print, with a QR code of the same text.
package struct KitPage {
    private static let width = 210
    private static let height = 297
    /// Millimetres; a phone reads modules of half a millimetre and more.
    private static let codeWidth = 90.0
    private static let margin = 20

    private let kit: KitContents
    private let code: QRCode

    /// - Throws: ``CommandFailure`` if the kit is too long for a QR code.
    package init(_ kit: KitContents) throws(CommandFailure) {
        self.kit = kit
        do throws(QRCodeError) {
            code = try QRCode(Array(kit.lines.utf8))
        } catch {
            throw .usage(
                "The kit is too long for a QR code: name a file without .svg, for a text."
            )
        }
    }

    /// The page, with nothing from outside.
    package var svg: String {
        let lines = kit.rows.map { "\($0.label): \($0.value)" }
        let scale = Self.codeWidth / Double(code.textColumns)
        let codeTop = 55 + 8 * lines.count
        let adviceTop = codeTop + Int(Self.codeWidth) + 15
        let texts =
            [Self.text(KitContents.title.trimmedOfBlanks, at: 30, size: 4.5)]
            + lines.enumerated().map { Self.text($1, at: 50 + 8 * $0, size: 3.6, isCode: true) }
            + KitContents.advice.enumerated().map { Self.text($1, at: adviceTop + 6 * $0, size: 4) }
        let place = "translate(\(Self.margin) \(codeTop)) scale(\(scale))"
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width)mm" \
            height="\(Self.height)mm" viewBox="0 0 \(Self.width) \(Self.height)">
            <rect width="\(Self.width)" height="\(Self.height)" fill="#fff"/>
            \(texts.joined(separator: "\n"))
            <path transform="\(place)" fill="#000" shape-rendering="crispEdges" \
            d="\(code.svgPath)"/>
            </svg>

            """
    }

    private static func text(
        _ text: String,
        at y: Int,
        size: Double,
        isCode: Bool = false
    ) -> String {
        let font = isCode ? "monospace" : "sans-serif"
        return "<text x=\"\(margin)\" y=\"\(y)\" font-family=\"\(font)\" font-size=\"\(size)\""
            + " xml:space=\"preserve\">\(escaped(text.printable))</text>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
