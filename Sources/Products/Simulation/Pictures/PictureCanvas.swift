/// Elements of a picture, as SVG: what is behind arrows, the arrows, and what is before them.
struct PictureCanvas {
    private var back: [String] = []
    private var middle: [String] = []
    private var front: [String] = []

    enum Layer {
        case back
        case front
    }

    /// All elements, a line each.
    var elements: String { (back + middle + front).joined(separator: "\n") }

    private mutating func add(_ element: String, to layer: Layer) {
        switch layer {
        case .back: back.append(element)
        case .front: front.append(element)
        }
    }

    mutating func rectangle(
        _ style: String,
        x: Double,
        y: Double,
        width: Double,
        height: Double,
        on layer: Layer = .front
    ) {
        let numbers = [("x", x), ("y", y), ("width", width), ("height", height)]
        add("<rect class=\"\(style)\" \(Self.attributes(numbers)) rx=\"3\"/>", to: layer)
    }

    mutating func line(_ style: String, from: Point, to: Point) {
        back.append(Self.line(style, from, to))
    }

    mutating func circle(_ style: String, at center: Point) {
        let numbers = [("cx", center.x), ("cy", center.y)]
        front.append("<circle class=\"\(style)\" \(Self.attributes(numbers)) r=\"4\"/>")
    }

    /// A text; `anchor` is `start`, `middle` or `end`.
    mutating func text(_ style: String, _ text: String, at place: Point, anchor: String = "start") {
        front.append(Self.text(style, text, place, anchor))
    }

    /// A message's arrow with its text at its beginning; a lost one ends in a cross.
    mutating func arrow(
        _ kind: StoryRecord.Kind,
        _ text: String,
        title: String,
        from: Point,
        to: Point,
        end: End
    ) {
        let direction = to.x < from.x ? -1.0 : 1.0
        var parts = ["<title>\(PictureText.escaped(title))</title>"]
        parts.append(Self.line("way", from, to))
        switch end {
        case .arrived: parts.append(Self.head(from: from, to: to))
        case .lost: parts.append(Self.cross(at: to))
        case .open: break
        }
        let place = Point(x: from.x + 8 * direction, y: from.y - 3)
        parts.append(Self.text("label", text, place, direction < 0 ? "end" : "start"))
        let fate = end == .arrived ? "" : " \(end.rawValue)"
        middle.append("<g class=\"\(kind.rawValue)\(fate)\">\(parts.joined())</g>")
    }

    /// How an arrow ends.
    enum End: String {
        case arrived
        case lost
        /// The story ends before.
        case open
    }

    struct Point: Equatable {
        let x: Double
        let y: Double
    }

    // MARK: Elements

    private static func attributes(_ numbers: [(String, Double)]) -> String {
        numbers.map { "\($0)=\"\(PictureText.number($1))\"" }.joined(separator: " ")
    }

    private static func line(_ style: String, _ from: Point, _ to: Point) -> String {
        let numbers = [("x1", from.x), ("y1", from.y), ("x2", to.x), ("y2", to.y)]
        return "<line class=\"\(style)\" \(attributes(numbers))/>"
    }

    private static func text(
        _ style: String,
        _ text: String,
        _ place: Point,
        _ anchor: String
    ) -> String {
        let end = anchor == "start" ? "" : " text-anchor=\"\(anchor)\""
        let numbers = attributes([("x", place.x), ("y", place.y)])
        return "<text class=\"\(style)\" \(numbers)\(end)>\(PictureText.escaped(text))</text>"
    }

    private static func head(from: Point, to: Point) -> String {
        let (across, down) = (to.x - from.x, to.y - from.y)
        let length = (across * across + down * down).squareRoot()
        let (unitX, unitY) = length > 0 ? (across / length, down / length) : (1, 0)
        let base = Point(x: to.x - 9 * unitX, y: to.y - 9 * unitY)
        let corners = [
            to, Point(x: base.x - 4 * unitY, y: base.y + 4 * unitX),
            Point(x: base.x + 4 * unitY, y: base.y - 4 * unitX),
        ]
        let points = corners.map { "\(PictureText.number($0.x)),\(PictureText.number($0.y))" }
        return "<polygon class=\"head\" points=\"\(points.joined(separator: " "))\"/>"
    }

    private static func cross(at center: Point) -> String {
        let (x, y) = (center.x, center.y)
        return line("way", Point(x: x - 5, y: y - 5), Point(x: x + 5, y: y + 5))
            + line("way", Point(x: x - 5, y: y + 5), Point(x: x + 5, y: y - 5))
    }
}
