/// A page that comes with the event which announces its writes.
///
/// To a device with this cursor it is what a pull would answer.
package struct AnnouncedPage: Hashable, Sendable {
    /// Where the page begins.
    package let after: Cursor
    package let page: PageAnswer

    package init(after: Cursor, page: PageAnswer) {
        self.after = after
        self.page = page
    }
}
