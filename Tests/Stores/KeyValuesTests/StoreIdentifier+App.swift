import KSKeyValues

extension StoreIdentifier {
    /// The store of these tests.
    static let app: StoreIdentifier = {
        guard let app = StoreIdentifier("app") else { preconditionFailure("a store's name") }
        return app
    }()
}
