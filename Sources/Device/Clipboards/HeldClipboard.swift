/// A clipboard that a process has set, for as long as the process keeps it.
protocol HeldClipboard: AnyObject {
    /// Readable when ``serve()`` has something to do, or -1.
    var descriptor: Int32 { get }

    /// Whether ``serve()`` learns that the clipboard is somebody else's.
    var tellsChanges: Bool { get }

    /// Answers what others asked; never waits.
    ///
    /// - Returns: false once the clipboard is somebody else's.
    func serve() -> Bool

    /// Takes the text away, if it is still there.
    func clear()
}

/// The forms in which a display offers the text.
enum ClipboardFormat {
    static let utf8 = ["UTF8_STRING", "text/plain;charset=utf-8"]
    /// Also offered for ASCII; in X11 they mean Latin-1.
    static let ascii = ["STRING", "TEXT", "text/plain"]
    /// KDE's Klipper and other clipboard managers leave out a text that offers this.
    static let hint = "x-kde-passwordManagerHint"
    static let hintValue = Array("secret".utf8)
}
