import Foundation
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

package struct APIServer: Service {
    private let settings: ServerSettings
    private let responder: Responder
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void
    private let onStopping: @Sendable () -> Void

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - onRunning: Receives the port when the server accepts connections.
    ///   - onStopping: Runs when the server is asked to stop, before the last requests are answered.
    package init(
        _ handle: StoreHandle, _ settings: ServerSettings, token: AccessToken?, logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in },
        onStopping: @escaping @Sendable () -> Void = {}
    ) {
        var operations = Operations(handle, version: settings.version)
        operations.rules.isReadOnly = settings.isReadOnly
        operations.directory = settings.directory
        operations.backups = settings.backups
        let context = ServerContext(
            settings: settings, operations: operations, agents: MCPServer(operations),
            streams: Admission(maximum: settings.limits.concurrentStreams),
            requests: Admission(maximum: settings.limits.concurrentRequests), session: token?.session,
            map: MapCache(directory: settings.directory, isReadOnly: settings.isReadOnly))
        responder = Responder(
            RouteTable(Self.routes), context, RequestGuard(settings, token: token), logger)
        (self.settings, self.logger) = (settings, logger)
        (self.onRunning, self.onStopping) = (onRunning, onStopping)
    }

    static let routes: [Route] =
        Operations.all.map { Route($0) } + TransferRoutes.all + ChangeRoutes.all + EmbeddingRoutes.all
        + PageRoutes.all + DocumentationRoutes.all + AgentRoutes.all

    /// Serves requests until the server is asked to stop. Requests that have begun are answered first.
    package func run() async throws {
        let (onRunning, onStopping, limits) = (onRunning, onStopping, settings.limits)
        let application = Application(
            responder: responder,
            server: .http1(
                configuration: HTTP1Channel.Configuration(
                    idleTimeout: TimeAmount(limits.idleTime),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                        maxHeaderFieldCount: limits.headerFields))),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port),
                availableConnectionsDelegate: .maximum(limits.connections, logger: logger)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
        do {
            try await withGracefulShutdownHandler {
                try await application.run()
            } onGracefulShutdown: {
                onStopping()
            }
        } catch let error as IOError {
            throw cannotListen(
                String(cString: strerror(error.errnoCode)),
                error.errnoCode == EADDRNOTAVAIL
                    ? "choose an address of this computer"
                    : "stop the other program that uses the port, or choose another port")
        } catch is SocketAddressError.UnknownHost {
            throw cannotListen("the host is unknown", "choose an address of this computer")
        }
    }

    private func cannotListen(_ cause: String, _ advice: String) -> ServerError {
        let host = ServerSettings.urlHost(settings.host)
        return ServerError("cannot listen on \(host):\(settings.port): \(cause); \(advice)")
    }

    /// Serves requests until the process receives SIGTERM or SIGINT.
    package func runUntilSignal() async throws {
        var configuration = ServiceGroupConfiguration(
            services: [self], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = settings.limits.shutdownTime
        configuration.maximumCancellationDuration = .seconds(5)
        try await ServiceGroup(configuration: configuration).run()
    }
}

struct ServerContext: Sendable {
    let settings: ServerSettings
    let operations: Operations
    let agents: MCPServer
    let streams: Admission
    /// The limit on requests that are read and answered at the same time.
    let requests: Admission
    /// The secret of the cookie of the page; `nil` if the server needs no token.
    let session: AccessToken?
    let map: MapCache
}

package struct ServerError: Error, Sendable, CustomStringConvertible {
    /// A sentence for the person who starts the server.
    package var message: String

    package init(_ message: String) { self.message = message }

    package var description: String { message }
}
