internal import KSRecords
internal import KSSealing

/// What a table has under a name.
package enum Kept<Value> {
    case none
    case kept(Value)
    /// It is there, and cannot be read any more.
    case damaged

    /// Reads what is there.
    ///
    /// A lock is no damage, nor is a disk that fails, or a program that is too old: these throw.
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
