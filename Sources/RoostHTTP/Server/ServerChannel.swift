import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// The channel of a connection: HTTP/1.1 with limits, optionally over TLS.
enum ServerChannel {
    /// Returns the builder for the settings.
    ///
    /// - Throws: ``ServerError`` if the certificate cannot be read.
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

/// The certificate of a server, which is read again when its files have changed.
final class CertificateSource: Sendable {
    private struct State {
        var context: NIOSSLContext
        var changed: [Date?]
        var checked: ContinuousClock.Instant
    }

    private let certificate: ServerSettings.Certificate
    private let state: Mutex<State>
    /// The time between two checks of the files.
    private static let interval = Duration.seconds(2)

    /// Reads a certificate.
    ///
    /// - Throws: ``ServerError`` if a file is missing or invalid.
    init(_ certificate: ServerSettings.Certificate) throws {
        self.certificate = certificate
        state = Mutex(
            State(
                context: try Self.context(certificate), changed: Self.dates(certificate), checked: .now))
    }

    private static func dates(_ certificate: ServerSettings.Certificate) -> [Date?] {
        [certificate.chain, certificate.key].map { file in
            // A missing file counts as changed; reading it reports the fault.
            (try? FileManager.default.attributesOfItem(atPath: file.path))?[.modificationDate] as? Date
        }
    }

    private static func context(_ certificate: ServerSettings.Certificate) throws -> NIOSSLContext {
        do {
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.chain.path)
                    .map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.key.path, format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw ServerError(
                "cannot use the certificate \(certificate.chain.path) with the key \(certificate.key.path): "
                    + "\(error)")
        }
    }

    /// Returns the context for a new connection. If the new files are invalid, the previous certificate stays
    /// in use.
    func context(_ logger: Logger) -> NIOSSLContext {
        state.withLock { state in
            guard ContinuousClock.now - state.checked >= Self.interval else { return state.context }
            state.checked = .now
            let changed = Self.dates(certificate)
            guard changed != state.changed else { return state.context }
            do {
                state.context = try Self.context(certificate)
                state.changed = changed
                logger.info("read the new certificate")
            } catch {
                logger.error("cannot read the new certificate", metadata: ["error": "\(error)"])
            }
            return state.context
        }
    }
}
