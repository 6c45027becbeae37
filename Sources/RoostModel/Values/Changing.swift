/// Returns a copy of a value with changes, such as an entry with another source.
package func changing<Value>(_ value: Value, _ change: (inout Value) throws -> Void) rethrows -> Value {
    var value = value
    try change(&value)
    return value
}
