import HTTPTypes
import Hummingbird
import NIOCore

/// The connection on which a request arrived.
struct ConnectionContext: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) { channel = source.channel }

    /// Asks the client for the body of a request, if the client waits for this (RFC 9110, section 10.1.1).
    func acceptBody(of request: HTTPRequest) async throws {
        guard request.headerFields[.expect] != nil else { return }
        try await channel.triggerUserOutboundEvent(MessageRules.BodyAcceptance()).get()
    }
}
