import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

#if TLS
    import NIOSSL
#endif

/// The channel of a connection: HTTP/1.1 with limits, optionally over TLS.
enum ServerChannel {
    /// Returns the builder for the settings.
    ///
    /// - Throws: ``ServerError`` if the certificate or its key cannot be used, or if this build has no TLS.
    static func builder(_ settings: ServerSettings) throws -> HTTPServerBuilder {
        let limits = settings.limits
        let configuration = HTTP1Channel.Configuration(
            idleTimeout: TimeAmount(limits.idleTime),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                maxHeaderFieldCount: limits.headerFields))
        guard let certificate = settings.certificate else {
            return HTTPServerBuilder { responder in
                PlainChannel(base: HTTP1Channel(responder: responder, configuration: configuration))
            }
        }
        #if TLS
            let source = try CertificateSource(certificate)
            return HTTPServerBuilder { responder in
                EncryptedChannel(
                    base: PlainChannel(
                        base: HTTP1Channel(responder: responder, configuration: configuration)),
                    source: source)
            }
        #else
            throw ServerError(
                "cannot use the certificate \(certificate.chain.path): this build of Roost has no TLS; build "
                    + "it with the trait TLS, or let a reverse proxy encrypt the connections")
        #endif
    }
}

/// A channel of HTTP/1.1 with the ``MessageRules``.
private struct PlainChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(MessageRules(), position: .after(parser))
            try pipeline.addHandler(InputClosure(channel.eventLoop), position: .before(parser))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

#if TLS
    /// A channel with TLS, whose certificate can change while the server runs.
    private struct EncryptedChannel: ServerChildChannel {
        typealias Value = HTTP1Channel.Value

        let base: PlainChannel
        let source: CertificateSource

        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                    NIOSSLServerHandler(context: source.context(logger)))
            }.flatMap { base.setup(channel: channel, logger: logger) }
        }

        func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
    }
#endif
