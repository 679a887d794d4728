/// A story as a picture: a lane for each device and the server, from above to below what happens.
///
/// Nothing in it comes from outside, and the same record has the same picture, byte by byte. It has
/// light and dark colors, whichever its reader prefers.
public struct StoryPicture: Sendable {
    private let title: String
    private let record: StoryRecord
    private let columns: PictureColumns

    /// A picture of a story.
    ///
    /// - Parameters:
    ///   - title: what stands above it, such as the name of the story's file.
    ///   - record: what happened.
    public init(title: String, _ record: StoryRecord) {
        (self.title, self.record) = (title, record)
        columns = PictureColumns(
            deviceCount: record.devices.count,
            serverCount: record.serverCount
        )
    }

    /// The picture as one SVG image, for documents.
    public var svg: String {
        let drawing = PictureDrawing(record, columns)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" \(size(drawing.height)) role="img" \
            aria-labelledby="title summary">
            <title id="title">\(escaped(title))</title>
            <desc id="summary">\(escaped(summary)) \(escaped(events.joined(separator: " ")))</desc>
            <style>
            \(PictureStyle.colors)
            \(PictureStyle.shapes)
            </style>
            <rect class="page" width="100%" height="100%"/>
            \(PictureDrawing.head(record, columns))
            \(drawing.canvas.elements)
            </svg>

            """
    }

    /// The picture as a page, with the same events as text below it.
    public var html: String {
        let drawing = PictureDrawing(record, columns)
        let items = events.map { "<li>\(escaped($0))</li>" }.joined(separator: "\n")
        let head = size(PictureDrawing.headHeight)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(escaped(title))</title>
            <style>
            \(PictureStyle.colors)
            \(PictureStyle.shapes)
            \(PictureStyle.page)
            </style>
            </head>
            <body>
            <h1>\(escaped(title))</h1>
            <p class="summary">\(escaped(summary))</p>
            \(PictureStyle.legend)
            <svg class="heads" \(head) aria-hidden="true">
            <rect class="page" width="100%" height="100%"/>
            \(PictureDrawing.head(record, columns))
            </svg>
            <svg class="picture" \(size(drawing.height, from: PictureDrawing.headHeight)) \
            role="img" aria-label="\(escaped(summary)) The list below has the same as text.">
            \(drawing.canvas.elements)
            </svg>
            <h2>The same as text</h2>
            <ol>
            \(items)
            </ol>
            </body>
            </html>

            """
    }

    private func size(_ height: Double, from top: Double = 0) -> String {
        let (width, rest) = (
            PictureText.number(columns.width), PictureText.number(height - top)
        )
        let box = "0 \(PictureText.number(top)) \(width) \(rest)"
        return "width=\"\(width)\" height=\"\(rest)\" viewBox=\"\(box)\""
    }

    private func escaped(_ text: String) -> String { PictureText.escaped(text) }

    // MARK: As text

    private var summary: String {
        let counts = record.counts
        func counted(_ count: Int, _ thing: String) -> String {
            "\(count) \(thing)\(count == 1 ? "" : "s")"
        }
        let names = record.devices.isEmpty ? "no device" : record.devices.joined(separator: ", ")
        let failures =
            counts.failures == 0
            ? (record.hasLines ? " Every expectation holds." : "")
            : " \(counted(counts.failures, "expectation")) failed."
        let steps = counted(counts.steps, record.hasLines ? "line" : "step")
        return "A story of \(names) and the server: \(steps),"
            + " \(counted(counts.messages, "message")), \(counts.lost) lost.\(failures)"
    }

    private var events: [String] {
        var lost: Set<Int> = []
        var arrived: [Int: UInt64] = [:]
        for row in record.rows {
            if case .lost(let number) = row.happening { lost.insert(number) }
            if case .arrived(let number) = row.happening { arrived[number] = row.milliseconds }
        }
        return record.rows.compactMap { row in
            let time = PictureText.time(row.milliseconds)
            return switch row.happening {
            case .step(let text, let line, _):
                "\(time)\(line.map { ", line \($0)" } ?? ""): \(text)."
            case .sent(let number):
                "\(time): \(way(number))\(fate(number, lost, arrived[number]))."
            case .arrived, .lost: nil
            case .shows(let device, let lines):
                "\(time): \(record.name(of: .device(device))) shows"
                    + " \(lines.joined(separator: "; "))."
            case .reach(let party, let isReachable):
                "\(time): \(record.name(of: party)) is \(isReachable ? "in" : "out of") reach."
            case .failed(let line, let expected, let shown, _):
                "\(time): line \(line) fails, expected: \(expected), shown: \(shown)."
            }
        }
    }

    private func way(_ number: Int) -> String {
        let message = record.messages[number]
        let (from, to) = (record.name(of: message.from), record.name(of: message.to))
        return "\(from) to \(to), \(message.text)"
    }

    private func fate(_ number: Int, _ lost: Set<Int>, _ arrival: UInt64?) -> String {
        if lost.contains(number) { return ", lost" }
        return arrival.map { ", arrives at \(PictureText.time($0))" } ?? ", still on its way"
    }
}
