import ArgumentParser
import Foundation
import Logging
import Roost
import RoostFiles
import RoostServer
import Synchronization

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the store to programs and agents over HTTP.",
        discussion: """
            Requests need a token, which is generated at the first start and kept in a file that only you \
            can read. The server accepts connections only from this computer, unless you give --listen. The \
            page at / shows the store in the browser (`roost open` also opens it), /docs describes the \
            operations, /mcp serves agents, and /v1/embeddings serves the embedding model with the API of \
            OpenAI. Any number of servers and other roost commands can use a store at \
            the same time. After Ctrl-C or SIGTERM, the server answers the requests that have begun, and \
            stops.

            Examples:
              roost serve
              roost serve --port 8080 --read-only
              roost serve --print-token
              curl -H "Authorization: Bearer $(roost serve --print-token)" localhost:4400/api/v1/status
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The port; 0 chooses a free one.", valueName: "PORT"))
    var port = 4400

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Accept connections on an address other than 127.0.0.1, such as 0.0.0.0.", valueName: "ADDRESS"))
    var listen: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Another name by which clients reach the server; repeatable.", valueName: "NAME"))
    var allowHost: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Permit scripts of a web page or app, such as app://obsidian.md; repeatable.",
            valueName: "ORIGIN"))
    var allowOrigin: [String] = []

    @Flag(name: .long, help: "Refuse requests that change the store.")
    var readOnly = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The file with the token. Default: server-token in your data folder.", valueName: "FILE"))
    var tokenFile: String?

    @Flag(name: .long, help: "Print the token, after generating it if it does not exist, and exit.")
    var printToken = false

    @Option(
        name: .long,
        help: ArgumentHelp("The log messages: error, info or debug.", valueName: "LEVEL"),
        transform: {
            guard let level = Logger.Level(rawValue: $0) else {
                throw ValidationError("--log names no level")
            }
            return level
        })
    var log = Logger.Level.info

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port must be from 0 to 65535, not \(port)")
        }
        if let host = allowHost.first(where: { $0.contains("/") || $0.wholeMatch(of: /[^:]*:\d*/) != nil }) {
            throw ValidationError(
                "--allow-host must be a name or an address without a scheme and a port, such as "
                    + "notes.example.com, not '\(Terminal.line(host))'")
        }
        if let origin = allowOrigin.first(where: { $0.wholeMatch(of: /[^:\/]+:\/\/[^\/]+/) == nil }) {
            throw ValidationError(
                "--allow-origin must have the form SCHEME://HOST or SCHEME://HOST:PORT without a path, not "
                    + "'\(Terminal.line(origin))'")
        }
    }

    func run() async throws { try await serve() }

    /// Serves the store until the process is asked to stop.
    ///
    /// - Parameter running: Is called with the address of the page when the server accepts connections.
    func serve(_ running: @escaping @Sendable (String) -> Void = { _ in }) async throws {
        let file = tokenFile.map { URL(fileURLWithPath: $0) } ?? UserDirectories().serverToken
        let token = try AccessToken.read(orCreateAt: file)
        if printToken { return Terminal.write(token.text) }
        let settings = try settings()
        let level = log
        let logger = Logger(label: "roost") { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        // Reports a missing store to the person who starts the server, not to the first client.
        let options = options
        let handle = StoreHandle(
            open: { try await options.open() }, reopen: { try await options.open() })
        try await handle.prepare()
        let host = settings.host
        let (isReadOnly, hasOwnToken, store) = (readOnly, tokenFile != nil, try options.location())
        let record = Mutex<FileLock?>(nil)
        let server = APIServer(handle, settings, token: token, logger: logger) { port in
            let address = "http://\(ServerSettings.urlHost(host)):\(port)/"
            if Self.isLoopback(host), !hasOwnToken {
                let server = RunningServer(address: address, isReadOnly: isReadOnly)
                record.withLock { $0 = server.record(for: store) }
            }
            options.note("serving on \(address) (see /docs); the token is in \(file.path)")
            running("\(address)#token=\(token.text)")
            guard !Self.isLoopback(host) else { return }
            options.note(
                "warning: the token and all texts are sent without encryption; use a reverse proxy with TLS")
        } onStopping: {
            // The next server of the store must be able to record itself.
            record.withLock { $0 = nil }
        }
        // The server replaces the handler of Ctrl-C, so that requests that have begun are answered.
        try await server.runUntilSignal()
        try await handle.close()
    }

    private static func isLoopback(_ host: String) -> Bool {
        ["localhost", "::1"].contains(host) || host.hasPrefix("127.")
    }

    private func settings() throws -> ServerSettings {
        var settings = ServerSettings()
        settings.port = port
        if let listen {
            settings.host = listen
            settings.allowedHosts.insert(listen)
        }
        settings.allowedHosts.formUnion(allowHost)
        settings.allowedOrigins = Set(allowOrigin)
        settings.isReadOnly = readOnly
        settings.version = VersionText.number
        settings.directory = try options.location()
        settings.backups = try BackupOptions.ownSettings()
        settings.advice = { RemedyText.advice($0) }
        return settings
    }
}
