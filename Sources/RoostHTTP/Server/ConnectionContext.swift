import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The connection on which a request arrived.
struct ConnectionContext: InitializableFromSource {
    let channel: any Channel
    /// The progress of the request's body.
    let body = BodyProgress()

    /// Whether the body of a request has been read. Several tasks answer one request.
    final class BodyProgress: Sendable {
        private let state = Atomic(false)

        /// Whether the server has read the whole body.
        var isRead: Bool { state.load(ordering: .acquiring) }

        /// Records that the server has read the whole body.
        func finish() { state.store(true, ordering: .releasing) }
    }

    init(source: ApplicationRequestContextSource) { channel = source.channel }

    /// Asks the client for the body of a request, if the client waits for this (RFC 9110, section 10.1.1).
    func acceptBody(of request: HTTPRequest) async throws {
        guard request.headerFields[.expect] != nil else { return }
        try await channel.triggerUserOutboundEvent(MessageRules.BodyAcceptance()).get()
    }

    /// Runs a function, and cancels it when the client closes the connection. In contrast to
    /// `consumeWithCancellationOnInboundClose`, the function can read the body of the request, and the
    /// connection stays open after it.
    ///
    /// - Throws: The error of the function.
    func cancelWhenClosed(_ operation: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await operation() }
        let observer = try? await channel.pipeline.handler(type: InputClosure.self).get()
        // Without the handler, the connection is closed already.
        if let observer { observer.closed.whenComplete { _ in task.cancel() } } else { task.cancel() }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
