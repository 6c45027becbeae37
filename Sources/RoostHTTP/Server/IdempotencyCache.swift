import Synchronization

/// The answers to recent requests with an idempotency key.
///
/// A repetition of a request, for example after a lost connection, gets the answer of the first one. The
/// answers are in memory, so they are lost when the server ends.
final class IdempotencyCache: Sendable {
    /// The state of a key.
    enum Outcome: Sendable {
        /// The key is new. The caller answers the request and then calls ``finish(_:with:)``.
        case new
        /// The request is still being answered.
        case running
        /// The key was used for another request.
        case different
        /// The answer to the first request.
        case answered(Reply)
    }

    private struct Record: Sendable {
        var fingerprint: Int
        var reply: Reply?
    }

    private struct State {
        var records: [String: Record] = [:]
        /// The keys, oldest first.
        var order: [String] = []
    }

    static let maximumKeyLength = 200
    private static let maximumCount = 1_000
    /// The maximum size of an answer that is kept.
    private static let maximumReplyBytes = 64 << 10

    private let state = Mutex(State())

    /// Returns the outcome of an earlier request with a key, or records that the request begins.
    ///
    /// - Parameter fingerprint: A hash of the method, the path and the body.
    func begin(_ key: String, fingerprint: Int) -> Outcome {
        state.withLock { state in
            if let record = state.records[key] {
                guard record.fingerprint == fingerprint else { return .different }
                return record.reply.map { .answered($0) } ?? .running
            }
            // The records of running requests are kept. Their number has its own, lower limit.
            if state.order.count >= Self.maximumCount,
                let oldest = state.order.firstIndex(where: { state.records[$0]?.reply != nil })
            {
                state.records[state.order.remove(at: oldest)] = nil
            }
            state.records[key] = Record(fingerprint: fingerprint)
            state.order.append(key)
            return .new
        }
    }

    /// Records the answer to a request; `nil` if the request failed, so that it can be repeated.
    func finish(_ key: String, with reply: Reply?) {
        state.withLock { state in
            if let reply, case .bytes(let bytes, _) = reply.body, bytes.count <= Self.maximumReplyBytes {
                state.records[key]?.reply = reply
            } else if let reply, case .none = reply.body {
                state.records[key]?.reply = reply
            } else {
                state.records[key] = nil
                state.order.removeAll { $0 == key }
            }
        }
    }
}
