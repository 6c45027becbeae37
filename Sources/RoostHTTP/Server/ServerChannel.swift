import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// The channel of a connection: HTTP/1.1 with limits, optionally over TLS.
enum ServerChannel {
    /// Returns the builder for the settings.
    ///
    /// - Throws: ``ServerError`` if the certificate or its key cannot be used.
    static func builder(_ settings: ServerSettings) throws -> HTTPServerBuilder {
        let limits = settings.limits
        let configuration = HTTP1Channel.Configuration(
            idleTimeout: TimeAmount(limits.idleTime),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                maxHeaderFieldCount: limits.headerFields))
        guard let certificate = settings.certificate else { return .http1(configuration: configuration) }
        let source = try CertificateSource(certificate)
        return HTTPServerBuilder { responder in
            EncryptedChannel(
                base: HTTP1Channel(responder: responder, configuration: configuration), source: source)
        }
    }
}

/// A channel with TLS, whose certificate can change while the server runs.
private struct EncryptedChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    let source: CertificateSource

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: source.context(logger)))
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
