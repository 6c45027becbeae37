public import Logging

extension StorageProvider {
    /// Returns a provider that logs every call to this provider and to its snapshots at debug level.
    ///
    /// A log record contains the kind of the call, its size (see
    /// ``StorageInterceptor/intercept(_:size:_:)``), its duration and, if it failed, the error code. It never
    /// contains texts, ids or paths.
    ///
    /// - Parameter logger: Receives the records.
    public func logging(_ logger: Logger = Logger(label: "roost.storage")) -> some StorageProvider {
        InterceptedStorage(self, by: CallLog(logger: logger))
    }
}

private struct CallLog: StorageInterceptor {
    let logger: Logger

    func intercept<Value: Sendable>(
        _ call: StorageCall, size: Int, _ body: () async throws -> Value
    ) async throws -> Value {
        guard logger.logLevel <= .debug else { return try await body() }
        let start = ContinuousClock.now
        func write(_ outcome: String) {
            logger.debug(
                "\(call.rawValue)",
                metadata: [
                    "size": "\(size)", "duration": "\(ContinuousClock.now - start)", "outcome": "\(outcome)",
                ])
        }
        do {
            let value = try await body()
            write("done")
            return value
        } catch {
            // Only the error code is logged, because the error message may contain paths.
            write((error as? StorageError)?.code.rawValue ?? "\(type(of: error))")
            throw error
        }
    }
}
