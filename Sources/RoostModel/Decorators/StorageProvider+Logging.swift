public import Logging

extension StorageProvider {
    /// Returns a provider that logs every call of this one and of its snapshots, at debug level.
    ///
    /// A log record has the kind of the call, its size (``StorageInterceptor/intercept(_:size:_:)``), its
    /// duration and the code of its error. It never has texts, ids or paths.
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
            // Only the code: a message may contain paths.
            write((error as? StorageError)?.code.rawValue ?? "\(type(of: error))")
            throw error
        }
    }
}
