/// Draws a record from above to below, a row for each happening.
struct PictureDrawing {
    private typealias Point = PictureCanvas.Point

    static let headHeight = 44.0
    private static let rowHeight = 18.0
    private static let padding = 5.0

    private let record: StoryRecord
    private let columns: PictureColumns
    private(set) var canvas = PictureCanvas()
    private(set) var height = PictureDrawing.headHeight
    private var lastTime = ""
    /// Where each message under way left.
    private var starts: [Int: Point] = [:]
    /// Since where each lane has been as it is, and whether it can be reached.
    private var lanes: [StoryRecord.Party: (y: Double, isReachable: Bool)] = [:]

    init(_ record: StoryRecord, _ columns: PictureColumns) {
        (self.record, self.columns) = (record, columns)
        for row in record.rows { draw(row) }
        drawEnd()
    }

    private var parties: [StoryRecord.Party] {
        record.devices.indices.map { .device($0) }
            + (0..<max(1, record.serverCount)).map { .server($0) }
    }

    // MARK: Rows

    private mutating func draw(_ row: StoryRecord.Row) {
        switch row.happening {
        case .reach(let party, let isReachable):
            endLane(party)
            lanes[party] = (height, isReachable)
            return
        case .step(let text, _, let party): drawStep(text, party)
        case .sent(let number):
            starts[number] = Point(x: columns.x(of: record.messages[number].from), y: height + 14)
            height += Self.rowHeight
        case .arrived(let number):
            let to = Point(x: columns.x(of: record.messages[number].to), y: height + 8)
            drawArrow(number, to: to, .arrived)
            height += Self.rowHeight - 5
        case .lost(let number):
            guard let from = starts[number] else { return }
            let target = columns.x(of: record.messages[number].to)
            let to = Point(x: from.x + (target - from.x) * 0.7, y: height + 6)
            drawArrow(number, to: to, .lost)
            height += Self.rowHeight - 4
        case .shows(let device, let lines): drawBox("shows", lines, .device(device))
        case .failed(let line, let expected, let shown, let party):
            let lines = ["line \(line) fails", "expected: \(expected)", "shown: \(shown)"]
            drawBox("failed", lines, party)
        }
        drawTime(row.milliseconds)
    }

    private mutating func drawTime(_ milliseconds: UInt64) {
        let time = PictureText.time(milliseconds)
        guard time != lastTime else { return }
        lastTime = time
        canvas.text("time", time, at: Point(x: columns.timeX, y: height - 6), anchor: "end")
    }

    private mutating func drawStep(_ text: String, _ party: StoryRecord.Party?) {
        height += 6
        guard let party, !text.hasPrefix("expect ") else {
            return drawBox(text.hasPrefix("expect ") ? "expect" : "band", [text], party)
        }
        // The lane has the name.
        let rest = text.drop { $0 != " " }.dropFirst()
        canvas.circle("deed", at: Point(x: columns.x(of: party), y: height + 13))
        drawBox("step", [rest.isEmpty ? text : String(rest)], party)
    }

    /// Lines in a box beside a lane, or across the picture.
    private mutating func drawBox(_ style: String, _ lines: [String], _ party: StoryRecord.Party?) {
        let x = party.map(columns.textX) ?? columns.timeX + 12
        let width = party.map(columns.textWidth) ?? columns.width - x - 24
        let lettersMax = Int((width - 16) / PictureText.letterWidth)
        let wrapped = lines.flatMap { PictureText.lines($0, columnsMax: lettersMax) }
        let inner = Double(wrapped.count) * PictureText.lineHeight
        canvas.rectangle(
            style,
            x: x,
            y: height + 2,
            width: width,
            height: inner + 2 * Self.padding - 2,
            on: party == nil ? .back : .front
        )
        for (index, line) in wrapped.enumerated() {
            let y = height + Self.padding + Double(index) * PictureText.lineHeight + 12
            canvas.text("\(style)-text", line, at: Point(x: x + 8, y: y))
        }
        height += inner + 2 * Self.padding + 4
    }

    private mutating func drawArrow(
        _ number: Int,
        to: PictureCanvas.Point,
        _ end: PictureCanvas.End
    ) {
        guard let from = starts.removeValue(forKey: number) else { return }
        let message = record.messages[number]
        let fate = end == .arrived ? "" : end == .lost ? ", lost" : ", still on its way"
        canvas.arrow(
            message.kind,
            message.text,
            title: "\(name(message.from)) to \(name(message.to)): \(message.text)\(fate)",
            from: from,
            to: to,
            end: end
        )
    }

    // MARK: Lanes

    private mutating func endLane(_ party: StoryRecord.Party) {
        let (start, isReachable) = lanes[party] ?? (Self.headHeight, true)
        guard height > start else { return }
        let x = columns.x(of: party)
        canvas.line(
            isReachable ? "lane" : "lane away",
            from: Point(x: x, y: start),
            to: Point(x: x, y: height)
        )
    }

    private mutating func drawEnd() {
        for number in starts.keys.sorted() {
            guard let from = starts[number] else { continue }
            let target = columns.x(of: record.messages[number].to)
            let to = Point(x: from.x + (target - from.x) * 0.5, y: height + 6)
            drawArrow(number, to: to, .open)
        }
        height += 8
        drawBox("band", ["at the end"], nil)
        let start = height
        var lowest = height
        for (device, lines) in record.ends.enumerated() {
            height = start
            drawBox("shows", lines.isEmpty ? ["nothing"] : lines, .device(device))
            lowest = max(lowest, height)
        }
        height = lowest
        for party in parties { endLane(party) }
        height += 12
    }

    /// The names above the lanes.
    static func head(_ record: StoryRecord, _ columns: PictureColumns) -> String {
        var canvas = PictureCanvas()
        for (index, name) in record.devices.enumerated() {
            let x = columns.x(of: .device(index))
            canvas.text("name", name, at: Point(x: x, y: 28), anchor: "middle")
        }
        for index in 0..<max(1, record.serverCount) {
            let name = index == 0 ? "server" : "server \(index + 1)"
            let x = columns.x(of: .server(index))
            canvas.text("name", name, at: Point(x: x, y: 28), anchor: "middle")
        }
        return canvas.elements
    }

    private func name(_ party: StoryRecord.Party) -> String { record.name(of: party) }
}

extension StoryRecord {
    func name(of party: Party) -> String {
        switch party {
        case .device(let index): devices.indices.contains(index) ? devices[index] : "a device"
        case .server(0): "server"
        case .server(let index): "server \(index + 1)"
        }
    }
}
