package import Foundation
import RoostModel
import Synchronization

/// A connection to one client over a transport that carries messages in both directions, such as standard
/// input and output.
///
/// Requests are answered concurrently, so responses can arrive in a different order from the requests.
/// Calls of a tool that keeps their order are executed one after another.
package final class MCPConnection: Sendable {
    private struct State {
        var negotiated: ProtocolVersion?
        var tasks: [Int: Task<Void, Never>] = [:]
        var nextNumber = 0
        /// The tasks of the requests whose ids cannot be used again yet.
        var requests: [RequestID: Task<Void, Never>] = [:]
        /// The latest task whose effect depends on the order of such tasks.
        var lastOrdered: Task<Void, Never>?
    }

    private let server: MCPServer
    private let send: @Sendable (Data) -> Void
    private let state = Mutex(State())

    /// The maximum number of requests and batches that are answered at the same time.
    static let maximumRunning = 64
    package static let maximumBatch = 100

    /// Creates a connection.
    ///
    /// - Parameter send: Sends one message to the client. It can be called from several tasks at once, so it
    ///   must not wait for the client.
    package init(_ server: MCPServer, send: @escaping @Sendable (Data) -> Void) {
        (self.server, self.send) = (server, send)
    }

    /// Handles one message from the client. Answers are sent later, when they are ready. If too many requests
    /// are being answered, waits until one has ended, so that a client cannot use unlimited memory.
    package func receive(_ data: Data) async {
        while let task = state.withLock({ $0.tasks.count < Self.maximumRunning ? nil : $0.tasks.values.first }
        ) {
            await task.value
        }
        do {
            let value = try IncomingMessage.parse(data)
            if let batch = value.elements { return try receive(batch) }
            do {
                try handle(try IncomingMessage(value))
            } catch {
                reply(error.response(to: IncomingMessage.id(of: value)))
            }
        } catch {
            reply(error.response(to: nil))
        }
    }

    package func finish() async {
        while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    }

    /// Cancels all requests, which get no response.
    package func cancel() {
        for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
    }

    private func reply(_ value: JSONValue) { send(value.serialized()) }

    private func handle(_ message: IncomingMessage) throws(ProtocolError) {
        switch message {
        case .response: break
        case .notification(let method, let parameters): notify(method, parameters)
        case .request(let id, let method, let parameters):
            if method == "initialize", !MCPServer.isStateless(parameters) {
                // The revision applies to all following messages, so it is set before they are read.
                state.withLock { $0.negotiated = MCPServer.negotiated(parameters) }
            }
            try start(id, method, parameters)
        }
    }

    private func notify(_ method: String, _ parameters: JSONValue) {
        guard method == "notifications/cancelled", let id = RequestID(parameters["requestId"]) else { return }
        state.withLock { $0.requests[id] }?.cancel()
    }

    private func start(_ id: RequestID, _ method: String, _ parameters: JSONValue) throws(ProtocolError) {
        let isRepeated = state.withLock { state in
            guard state.requests[id] == nil else { return true }
            let negotiated = state.negotiated
            state.requests[id] = run(keepingOrder: server.keepsOrder(method, parameters), &state) { [self] in
                // The only error is the cancellation, after which a request gets no response.
                let response = try? await server.response(
                    to: id, method, parameters, negotiated: negotiated, notify: reply)
                // The client can use the id again as soon as it has the response.
                self.state.withLock { $0.requests[id] = nil }
                if let response, !Task.isCancelled { reply(response) }
            }
            return false
        }
        if isRepeated {
            throw ProtocolError(.invalidRequest, "a request with this id is still being answered")
        }
    }

    /// Starts a task that counts as running until its work has ended.
    private func run(
        keepingOrder keepsOrder: Bool, _ state: inout State, _ work: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        let number = state.nextNumber
        state.nextNumber += 1
        let previous = keepsOrder ? state.lastOrdered : nil
        let task = Task { [self] in
            await previous?.value
            await work()
            self.state.withLock { $0.tasks[number] = nil }
        }
        state.tasks[number] = task
        if keepsOrder { state.lastOrdered = task }
        return task
    }

    // MARK: Batches

    private func receive(_ batch: [JSONValue]) throws(ProtocolError) {
        guard let negotiated = state.withLock({ $0.negotiated }), negotiated.allowsBatches else {
            throw ProtocolError(
                .invalidRequest,
                "batches are supported only if \(ProtocolVersion.march2025.rawValue) was negotiated")
        }
        try MCPServer.checkSize(of: batch)
        state.withLock { state in
            // A batch can contain calls that keep their order.
            _ = run(keepingOrder: true, &state) { [self] in
                let responses = await server.responses(to: batch, negotiated, notify: reply) { [self] in
                    notify($0, $1)
                }
                if !responses.isEmpty, !Task.isCancelled { reply(.array(responses)) }
            }
        }
    }
}
