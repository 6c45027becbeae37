public import Logging

extension StorageProvider {
    /// Writes a line at debug level for each call, of the store and of its snapshots: which, about how many
    /// things, how long, and the error's code. Texts, ids and paths of the user's are never written.
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
            // The code only: a message may name files.
            write((error as? StorageError)?.code.rawValue ?? "\(type(of: error))")
            throw error
        }
    }
}
