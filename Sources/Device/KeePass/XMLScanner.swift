internal import KSCExpat

/// Hears of elements and texts in the order of a document.
protocol XMLHandler: AnyObject {
    func start(_ name: String, _ attributes: [String: String]) throws(KeePassError)
    /// A piece of text; what stands between two tags may come in several.
    func text(_ bytes: [UInt8]) throws(KeePassError)
    /// The end of the element that started last and is open.
    func end() throws(KeePassError)
}

/// Reads XML piece by piece, with Expat.
///
/// A document type is refused, and with it every entity of the document's own.
@safe
final class XMLScanner {
    /// Groups within groups; programs offer far fewer.
    private static let depthMax = 200
    /// Text comes piece by piece; no tag, name or comment of a program is longer.
    private static let tokenBytesMax = 1 << 20
    private static let pieceBytes = 1 << 16

    private let parser: XML_Parser
    private let handler: any XMLHandler
    private var depth = 0
    private var bytesWithoutEvent = 0
    private var error: KeePassError?

    init(_ handler: any XMLHandler) throws(KeePassError) {
        guard let parser = unsafe XML_ParserCreate(nil) else { throw .tooLarge }
        unsafe self.parser = parser
        self.handler = handler
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(
            parser,
            { scanner, name, attributes in
                guard let name = unsafe name else { return }
                unsafe XMLScanner.of(scanner)?.start(name, attributes)
            },
            { scanner, _ in unsafe XMLScanner.of(scanner)?.end() }
        )
        unsafe XML_SetCharacterDataHandler(parser) { scanner, text, count in
            guard let text = unsafe text else { return }
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(count))
            unsafe XMLScanner.of(scanner)?.tell { handler throws(KeePassError) in
                try handler.text(unsafe Array(bytes))
            }
        }
        unsafe XML_SetStartDoctypeDeclHandler(parser) { scanner, _, _, _, _ in
            unsafe XMLScanner.of(scanner)?.stop(.hostileXML)
        }
    }

    deinit {
        unsafe XML_ParserFree(parser)
    }

    /// Reads a whole document.
    static func read(_ bytes: [UInt8], _ handler: any XMLHandler) throws(KeePassError) {
        let scanner = try XMLScanner(handler)
        try scanner.feed(bytes[...])
        try scanner.finish()
    }

    func feed(_ bytes: ArraySlice<UInt8>) throws(KeePassError) {
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.prefix(Self.pieceBytes)
            rest = rest.dropFirst(Self.pieceBytes)
            bytesWithoutEvent += piece.count
            try parse(piece, isLast: false)
            guard bytesWithoutEvent <= Self.tokenBytesMax else { throw .hostileXML }
        }
    }

    func finish() throws(KeePassError) {
        try parse([], isLast: true)
    }

    private func parse(_ bytes: ArraySlice<UInt8>, isLast: Bool) throws(KeePassError) {
        let status = unsafe bytes.withUnsafeBytes { bytes in
            unsafe XML_Parse(
                parser,
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(bytes.count),
                isLast ? 1 : 0
            )
        }
        if let error { throw error }
        guard status == XML_STATUS_OK else {
            throw .notXML(line: Int(unsafe XML_GetCurrentLineNumber(parser)))
        }
    }

    // MARK: Events

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> XMLScanner? {
        // Safety: the scanner lives as long as the parser that calls.
        unsafe pointer.map { unsafe Unmanaged<XMLScanner>.fromOpaque($0).takeUnretainedValue() }
    }

    private func start(
        _ name: UnsafePointer<CChar>,
        _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
        depth += 1
        guard depth <= Self.depthMax else { return stop(.hostileXML) }
        var values: [String: String] = [:]
        var index = 0
        while let name = unsafe attributes?[index], let value = unsafe attributes?[index + 1] {
            unsafe values[String(cString: name)] = unsafe String(cString: value)
            index += 2
        }
        let element = unsafe String(cString: name)
        tell { handler throws(KeePassError) in try handler.start(element, values) }
    }

    private func end() {
        depth -= 1
        tell { handler throws(KeePassError) in try handler.end() }
    }

    private func tell(_ event: (any XMLHandler) throws(KeePassError) -> Void) {
        bytesWithoutEvent = 0
        // Expat may report some more after it was stopped.
        guard error == nil else { return }
        do throws(KeePassError) {
            try event(handler)
        } catch {
            stop(error)
        }
    }

    private func stop(_ error: KeePassError) {
        self.error = self.error ?? error
        _ = unsafe XML_StopParser(parser, XML_Bool(0))
    }
}
