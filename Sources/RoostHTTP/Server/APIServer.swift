import Foundation
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
package import RoostMCP
import ServiceLifecycle
import UnixSignals

/// The HTTP server of a store.
package struct APIServer: Service {
    private let settings: ServerSettings
    private let context: ServerContext
    private let responder: Responder
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - handle: The store.
    ///   - settings: The settings.
    ///   - token: The token that clients must send; `nil` if none is required.
    ///   - logger: Receives one message per request.
    ///   - onRunning: Called with the port when the server accepts connections.
    package init(
        _ handle: StoreHandle, _ settings: ServerSettings, token: AccessToken?, logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        var rules = AccessRules()
        rules.isReadOnly = settings.isReadOnly
        let metrics = MetricsRegistry()
        context = ServerContext(
            settings: settings, handle: handle,
            jobs: JobRegistry(directory: settings.directory, advice: settings.advice), metrics: metrics,
            agents: MCPServer(handle, rules, version: settings.version),
            streams: Admission(maximum: settings.limits.concurrentStreams),
            requests: Admission(maximum: settings.limits.concurrentRequests),
            arrivingBlocks: Admission(maximum: settings.limits.arrivingBytes / RequestReader.blockBytes))
        responder = Responder(
            RouteTable(Self.routes), context, RequestGuard(settings, token: token),
            RequestRecord(logger: logger, metrics: metrics))
        (self.settings, self.logger, self.onRunning) = (settings, logger, onRunning)
    }

    /// All routes, in the order of the documentation.
    static let routes: [Route] =
        StatusRoutes.all + EntryRoutes.all + CountRoutes.all + TransferRoutes.all + SearchRoutes.all
        + ClusterRoutes.all + ConversationRoutes.all + SourceRoutes.all + JobRoutes.all + ChangeRoutes.all
        + EmbeddingRoutes.all + AuthorizationRoutes.all + DocumentationRoutes.all + AgentRoutes.all

    /// Serves requests until the server is asked to stop. Requests that have begun are answered first.
    ///
    /// - Throws: ``ServerError`` if the address is in use or the certificate is invalid.
    package func run() async throws {
        await context.jobs.recover()
        context.readiness.prepare(context.handle)
        let onRunning = onRunning
        let application = Application(
            responder: responder, server: try ServerChannel.builder(settings),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port),
                availableConnectionsDelegate: .maximum(settings.limits.connections, logger: logger)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
        do {
            try await application.run()
        } catch let error as IOError {
            throw cannotListen(
                String(cString: strerror(error.errnoCode)),
                error.errnoCode == EADDRNOTAVAIL
                    ? "choose an address of this computer"
                    : "stop the other program that uses the port, or choose another port")
        } catch is SocketAddressError.UnknownHost {
            throw cannotListen("the host is unknown", "choose an address of this computer")
        }
        context.readiness.stop()
        await context.jobs.stop()
    }

    private func cannotListen(_ cause: String, _ advice: String) -> ServerError {
        let host = ServerSettings.urlHost(settings.host) ?? settings.host
        return ServerError("cannot listen on \(host):\(settings.port): \(cause); \(advice)")
    }

    /// Serves requests until the process receives SIGTERM or SIGINT.
    ///
    /// - Throws: The errors of ``run()``.
    package func runUntilSignal() async throws {
        var configuration = ServiceGroupConfiguration(
            services: [self], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = settings.limits.shutdownTime
        configuration.maximumCancellationDuration = .seconds(5)
        try await ServiceGroup(configuration: configuration).run()
    }
}
