public import Foundation

// Many programs build queries with these methods of Objective-C, which Foundation for Linux lacks.

extension NSMutableDictionary {
    /// Sets the value of a key, or removes the key for nil.
    @_disfavoredOverload
    public func setValue(_ value: Any?, forKey key: String) {
        if let value {
            setObject(value, forKey: key as NSString)
        } else {
            removeObject(forKey: key as NSString)
        }
    }

    /// Sets the value of a key.
    @_disfavoredOverload
    public func setObject(_ anObject: Any, forKey aKey: any NSCopying) {
        // A key must be hashable as well; any other is ignored.
        guard let key = aKey as? NSObject else { return }
        setObject(anObject, forKey: AnyHashable(key))
    }
}
