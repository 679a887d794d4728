public import Foundation

// Queries are often put together in these words of Objective-C, which Foundation for Linux lacks.

extension NSMutableDictionary {
    /// Gives a key a value, or takes the key away for nil.
    @_disfavoredOverload
    public func setValue(_ value: Any?, forKey key: String) {
        if let value {
            setObject(value, forKey: key as NSString)
        } else {
            removeObject(forKey: key as NSString)
        }
    }

    /// Gives a key a value.
    @_disfavoredOverload
    public func setObject(_ anObject: Any, forKey aKey: any NSCopying) {
        // What can be copied but not looked up is no key.
        guard let key = aKey as? NSObject else { return }
        setObject(anObject, forKey: AnyHashable(key))
    }
}
