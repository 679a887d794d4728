/// What a user does at the keyboard of a terminal.
package enum Keystroke: Hashable, Sendable {
    /// A character that is not a control character.
    case character(Character)
    /// Ctrl and a letter, in lower case: Ctrl-N is `control("n")`.
    case control(Character)
    /// Alt, or Esc right before it, and a character.
    case alternate(Character)
    case up
    case down
    case left
    case right
    case home
    case end
    case pageUp
    case pageDown
    case insert
    case delete
    case backspace
    case tab
    case backTab
    case enter
    case escape
    /// A text that was pasted in one piece; its line breaks are as the terminal sent them.
    case paste(String)
    /// A pasted text of more bytes than the decoder takes; it was dropped.
    case pasteTooLong
}
