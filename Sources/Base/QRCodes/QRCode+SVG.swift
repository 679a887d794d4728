extension QRCode {
    /// Draws the dark modules as the data of an SVG path, one unit a module; the quiet zone is part
    /// of the drawing, whose sides are ``textColumns`` units.
    package var svgPath: String {
        (0..<size).reduce(into: "") { path, row in
            for column in 0..<size where isDark(row: row, column: column) {
                path += "M\(column + Self.quietZone) \(row + Self.quietZone)h1v1h-1z"
            }
        }
    }
}
