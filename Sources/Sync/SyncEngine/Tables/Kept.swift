internal import KSRecords
internal import KSSealing

/// What a table holds: no row, a readable row or a damaged one.
package enum Kept<Value> {
    case none
    case kept(Value)
    /// The row is there, but cannot be read.
    case damaged

    /// Reads a row.
    ///
    /// A locked class, a failing disk and a format that is too new are not damage: they throw.
    init(_ read: () throws -> Value) throws {
        do {
            self = .kept(try read())
        } catch let error as SealingError {
            switch error {
            case .classLocked, .passcodeNotSet, .updateThisClient: throw error
            default: self = .damaged
            }
        } catch let error as RecordsError {
            if case .formatTooNew = error { throw error }
            self = .damaged
        } catch SyncEngineError.corruptDatabase {
            self = .damaged
        }
    }

    package var value: Value? {
        if case .kept(let value) = self { value } else { nil }
    }

    func map<Other>(_ body: (Value) -> Other) -> Kept<Other> {
        switch self {
        case .kept(let value): .kept(body(value))
        case .none: .none
        case .damaged: .damaged
        }
    }

    package var isDamaged: Bool {
        if case .damaged = self { true } else { false }
    }
}

extension Kept: Sendable where Value: Sendable {}
