/// Whether this is a release build; another one takes 20 times as long.
let isOptimized: Bool = {
    var isOptimized = true
    assert({ isOptimized = false }() == ())
    return isOptimized
}()
