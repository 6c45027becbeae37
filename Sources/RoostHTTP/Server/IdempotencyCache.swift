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
        /// The size of the answer's body in bytes.
        var size = 0
    }

    private struct State {
        var records: [String: Record] = [:]
        /// The keys, oldest first.
        var order: [String] = []
        /// The keys of large answers, in the order in which they were recorded.
        var large: [String] = []
        /// The total size of the large answers in bytes.
        var largeBytes = 0

        /// Forgets a key.
        mutating func remove(_ key: String) {
            order.removeAll { $0 == key }
            if let index = large.firstIndex(of: key) {
                large.remove(at: index)
                largeBytes -= records[key]?.size ?? 0
            }
            records[key] = nil
        }
    }

    static let maximumKeyLength = 200
    private static let maximumCount = 1_000
    /// The size in bytes above which an answer is large.
    static let largeReplyBytes = 64 << 10
    /// The maximum total size of the large answers in bytes. The oldest ones are forgotten, so that they do
    /// not displace small answers. The newest one is always kept.
    static let maximumLargeBytes = 64 << 20

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
                state.remove(state.order[oldest])
            }
            state.records[key] = Record(fingerprint: fingerprint)
            state.order.append(key)
            return .new
        }
    }

    /// Records the answer to a request; `nil` if the request failed, so that it can be repeated.
    func finish(_ key: String, with reply: Reply?) {
        state.withLock { state in
            guard state.records[key] != nil, let reply, let size = Self.size(of: reply) else {
                return state.remove(key)
            }
            state.records[key]?.reply = reply
            guard size > Self.largeReplyBytes else { return }
            state.records[key]?.size = size
            state.large.append(key)
            state.largeBytes += size
            while state.largeBytes > Self.maximumLargeBytes, state.large.count > 1 {
                state.remove(state.large[0])
            }
        }
    }

    /// Returns the size of an answer's body in bytes; `nil` for a stream, which can be sent only once.
    private static func size(of reply: Reply) -> Int? {
        switch reply.body {
        case .none: 0
        case .bytes(let bytes, _): bytes.count
        case .stream: nil
        }
    }
}
