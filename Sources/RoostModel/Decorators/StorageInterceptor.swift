/// Code that runs around every call to a storage provider and to its snapshots.
///
/// The calls of ``StorageSnapshot/passageSearch`` are not intercepted.
public protocol StorageInterceptor: Sendable {
    /// Intercepts a call: makes it once, repeats it, or throws an error instead of making it.
    ///
    /// - Parameters:
    ///   - call: The kind of the call.
    ///   - size: The number of objects that the call concerns: entries, ids, or the limit of a page; 0 if
    ///     it has no such number.
    ///   - body: Makes the call. An interceptor may call it any number of times.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or an error of the interceptor.
    func intercept<Value: Sendable>(
        _ call: StorageCall, size: Int, _ body: () async throws -> Value
    ) async throws -> Value
}
