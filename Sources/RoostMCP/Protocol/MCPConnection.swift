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
        /// The revision that the client negotiated with `initialize`.
        var negotiated: ProtocolVersion?
        /// The requests and batches that are being answered or that wait.
        var queue = RequestQueue()
    }

    private let server: MCPServer
    private let send: @Sendable (Data) -> Void
    private let state = Mutex(State())

    /// The maximum number of messages in a batch.
    package static let maximumBatch = 100

    /// Creates a connection.
    ///
    /// - Parameter send: Sends one message to the client. It can be called from several tasks at once, so it
    ///   must not wait for the client.
    package init(_ server: MCPServer, send: @escaping @Sendable (Data) -> Void) {
        (self.server, self.send) = (server, send)
    }

    /// Handles one message from the client. Answers are sent later, when they are ready.
    package func receive(_ data: Data) {
        do {
            let value = try IncomingMessage.parse(data)
            if let batch = value.elements { return try receive(batch, size: data.count) }
            let message: IncomingMessage
            do {
                message = try IncomingMessage(value)
            } catch {
                return reply(error.response(to: IncomingMessage.id(of: value)))
            }
            handle(message, size: data.count)
        } catch {
            reply(error.response(to: nil))
        }
    }

    /// Ends all subscriptions, and waits until all requests have been answered.
    package func finish() async {
        // A subscription would otherwise last forever.
        for task in state.withLock({ $0.queue.subscriptions }) { task.cancel() }
        // A request that waits begins when another one ends, so none waits if no task is left.
        while let task = state.withLock({ $0.queue.tasks.first }) { await task.value }
    }

    /// Cancels all requests. Only subscriptions get a response.
    package func cancel() {
        for task in state.withLock({ $0.queue.cancelAll() }) { task.cancel() }
    }

    private func reply(_ value: JSONValue) { send(value.serialized()) }

    private func handle(_ message: IncomingMessage, size: Int) {
        switch message {
        case .response: break
        case .notification(let method, let parameters): notify(method, parameters)
        case .request(let id, let method, let parameters):
            if method == "initialize", parameters["_meta"]?.isStateless != true {
                // The revision applies to all following messages, so it is set before they are read.
                state.withLock { $0.negotiated = MCPServer.negotiated(parameters) }
            }
            start(id, method, parameters, size: size)
        }
    }

    private func notify(_ method: String, _ parameters: JSONValue) {
        guard method == "notifications/cancelled", let id = RequestID(parameters["requestId"]) else { return }
        state.withLock { $0.queue.cancel(id) }?.cancel()
    }

    private func start(_ id: RequestID, _ method: String, _ parameters: JSONValue, size: Int) {
        let negotiated = state.withLock { $0.negotiated }
        let isSubscription = method == MCPServer.listenMethod
        enqueue(
            RequestQueue.Job(
                id: id, isSubscription: isSubscription, size: size,
                keepsOrder: server.keepsOrder(method, parameters)
            ) { [self] in
                let response = try? await server.response(
                    to: id, method, parameters, negotiated: negotiated, notify: reply)
                // The client can use the id again as soon as it has the response.
                let isAwaited = state.withLock { $0.queue.release(id) }
                // A canceled request gets no response. A subscription that the client has not canceled ends
                // because the connection ends.
                if let response, !Task.isCancelled { return reply(response) }
                if isSubscription, isAwaited { reply(server.endOfSubscription(id)) }
            })
    }

    /// Begins a job, or lets it wait; replies with an error if too many wait.
    private func enqueue(_ job: RequestQueue.Job) {
        do {
            try state.withLock { state throws(ProtocolError) in try state.queue.add(job, start: begin) }
        } catch {
            reply(error.response(to: job.id))
        }
    }

    /// Starts the task of a job.
    private func begin(_ job: RequestQueue.Job, _ number: Int) -> Task<Void, Never> {
        Task { [self] in
            await job.run()
            state.withLock { $0.queue.finish(number, start: begin) }
        }
    }

    // MARK: Batches

    private func receive(_ batch: [JSONValue], size: Int) throws(ProtocolError) {
        let negotiated = state.withLock { $0.negotiated }
        guard let negotiated, negotiated.allowsBatches else {
            throw ProtocolError(
                .invalidRequest,
                "batches are supported only if \(ProtocolVersion.march2025.rawValue) was negotiated")
        }
        guard !batch.isEmpty, batch.count <= Self.maximumBatch else {
            throw ProtocolError(.invalidRequest, "a batch needs 1 to \(Self.maximumBatch) messages")
        }
        enqueue(
            RequestQueue.Job(
                count: batch.count, size: size, keepsOrder: batch.contains(where: keepsOrder)
            ) { [self] in
                var responses: [JSONValue] = []
                for value in batch {
                    if let response = await response(to: value, negotiated) { responses.append(response) }
                }
                if !responses.isEmpty, !Task.isCancelled { reply(.array(responses)) }
            })
    }

    /// Returns whether a message of a batch begins after earlier requests that keep their order.
    private func keepsOrder(_ value: JSONValue) -> Bool {
        guard case .request(_, let method, let parameters)? = try? IncomingMessage(value) else {
            return false
        }
        return server.keepsOrder(method, parameters)
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
                try MCPServer.checkBatch(method, parameters)
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
