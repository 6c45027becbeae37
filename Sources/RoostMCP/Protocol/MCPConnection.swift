package import Foundation
import RoostModel
import Synchronization

/// A connection to one client over a transport that carries messages in both directions, such as standard
/// input and output.
///
/// Requests are answered concurrently, so responses can arrive in a different order from the requests.
package final class MCPConnection: Sendable {
    private struct State {
        /// The revision that the client negotiated with `initialize`.
        var negotiated: ProtocolVersion?
        /// The requests that are being answered.
        var running: [RequestID: Task<Void, Never>] = [:]
        /// The running requests that subscribe to notifications.
        var subscriptions: Set<RequestID> = []
        /// The number of tasks that were started, which identifies batches.
        var batches: [Int: Task<Void, Never>] = [:]
        var nextBatch = 0
    }

    private let server: MCPServer
    private let send: @Sendable (Data) -> Void
    private let state = Mutex(State())

    /// The maximum number of requests that are answered at the same time. Additional requests are refused, so
    /// that a client cannot use unlimited memory.
    private static let maximumRunning = 64
    /// The maximum number of messages in a batch.
    package static let maximumBatch = 100

    /// Creates a connection.
    ///
    /// - Parameter send: Sends one message to the client. It can be called from several tasks at once.
    package init(_ server: MCPServer, send: @escaping @Sendable (Data) -> Void) {
        (self.server, self.send) = (server, send)
    }

    /// Handles one message from the client. Answers are sent later, when they are ready.
    package func receive(_ data: Data) {
        do {
            let value = try IncomingMessage.parse(data)
            if let batch = value.elements { return try receive(batch) }
            let message: IncomingMessage
            do {
                message = try IncomingMessage(value)
            } catch {
                return reply(error.response(to: IncomingMessage.id(of: value)))
            }
            handle(message)
        } catch {
            reply(error.response(to: nil))
        }
    }

    /// Ends all subscriptions, and waits until all requests have been answered.
    package func finish() async {
        // A subscription would otherwise last forever.
        let subscriptions = state.withLock { state in
            state.subscriptions.compactMap { state.running[$0] }
        }
        for task in subscriptions { task.cancel() }
        while let task = state.withLock({ $0.running.values.first ?? $0.batches.values.first }) {
            await task.value
        }
    }

    /// Cancels all requests.
    package func cancel() {
        let tasks = state.withLock { Array($0.running.values) + Array($0.batches.values) }
        for task in tasks { task.cancel() }
    }

    private func reply(_ value: JSONValue) { send(value.serialized()) }

    private func handle(_ message: IncomingMessage) {
        switch message {
        case .response: break
        case .notification(let method, let parameters): notify(method, parameters)
        case .request(let id, let method, let parameters):
            if method == "initialize", parameters["_meta"]?.isStateless != true {
                // The revision applies to all following messages, so it is set before they are read.
                state.withLock { $0.negotiated = MCPServer.negotiated(parameters) }
            }
            start(id, method, parameters)
        }
    }

    private func notify(_ method: String, _ parameters: JSONValue) {
        guard method == "notifications/cancelled", let id = RequestID(parameters["requestId"]) else { return }
        state.withLock { $0.running[id] }?.cancel()
    }

    private func start(_ id: RequestID, _ method: String, _ parameters: JSONValue) {
        let refusal: ProtocolError? = state.withLock { state in
            if state.running[id] != nil {
                return ProtocolError(.invalidRequest, "a request with this id is still being answered")
            }
            guard state.running.count < Self.maximumRunning else {
                return ProtocolError(.internalError, "too many requests at the same time; try again later")
            }
            let negotiated = state.negotiated
            if method == MCPServer.listenMethod { state.subscriptions.insert(id) }
            state.running[id] = Task { [self] in
                let response = try? await server.response(
                    to: id, method, parameters, negotiated: negotiated, notify: reply)
                // A canceled request gets no response.
                if let response, !Task.isCancelled { reply(response) }
                self.state.withLock { state in
                    state.running[id] = nil
                    state.subscriptions.remove(id)
                }
            }
            return nil
        }
        if let refusal { reply(refusal.response(to: id)) }
    }

    // MARK: Batches

    private func receive(_ batch: [JSONValue]) throws(ProtocolError) {
        let negotiated = state.withLock { $0.negotiated }
        guard let negotiated, negotiated.allowsBatches else {
            throw ProtocolError(
                .invalidRequest,
                "batches are supported only if \(ProtocolVersion.march2025.rawValue) was negotiated")
        }
        guard !batch.isEmpty, batch.count <= Self.maximumBatch else {
            throw ProtocolError(.invalidRequest, "a batch needs 1 to \(Self.maximumBatch) messages")
        }
        state.withLock { state in
            let number = state.nextBatch
            state.nextBatch += 1
            state.batches[number] = Task { [self] in
                var responses: [JSONValue] = []
                for value in batch {
                    if let response = await response(to: value, negotiated) { responses.append(response) }
                }
                if !responses.isEmpty, !Task.isCancelled { reply(.array(responses)) }
                self.state.withLock { $0.batches[number] = nil }
            }
        }
    }

    /// Returns the response to one message of a batch; `nil` for a notification.
    private func response(to value: JSONValue, _ negotiated: ProtocolVersion) async -> JSONValue? {
        do {
            switch try IncomingMessage(value) {
            case .response: return nil
            case .notification(let method, let parameters):
                notify(method, parameters)
                return nil
            case .request(let id, let method, let parameters):
                // A subscription does not end, so the batch would never be answered.
                guard method != MCPServer.listenMethod else {
                    return ProtocolError(.invalidRequest, "a batch cannot contain '\(method)'")
                        .response(to: id)
                }
                return try? await server.response(
                    to: id, method, parameters, negotiated: negotiated, notify: reply)
            }
        } catch {
            return error.response(to: IncomingMessage.id(of: value))
        }
    }
}

extension MetadataValue {
    /// Whether `_meta` belongs to a self-contained request.
    fileprivate var isStateless: Bool { self["io.modelcontextprotocol/protocolVersion"] != nil }
}
