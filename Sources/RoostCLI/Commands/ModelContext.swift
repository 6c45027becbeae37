import ArgumentParser
import Foundation
import Roost
import RoostConversations
import RoostServer

struct ModelContext: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Serve the store to agents (MCP) on standard input.",
        discussion: """
            Reads requests from standard input and writes responses to standard output, one JSON message \
            per line, until the input ends. Agents start this command themselves; --print-config prints the \
            lines to add to their settings. Any number of servers and other roost commands can use a store \
            at the same time.

            With --tag, --folder or --scope, the server shows only a part of the store, and no clusters, \
            because their labels could reveal the rest.

            Examples:
              roost mcp --print-config claude
              roost mcp --store ~/notes/.roost --read-only
              roost mcp --tag work
            """)

    enum Host: String, ExpressibleByArgument, CaseIterable {
        case claude, cursor, vscode, codex
    }

    @OptionGroup var options: StoreOptions

    @Flag(name: .long, help: "Offer only tools that read.")
    var readOnly = false

    @Option(
        name: .long,
        help: "Show only entries with this tag or one nested in it, and add it to new entries; repeatable.",
        transform: TagArgument.tag)
    var tag: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Show only entries from files in this folder.", valueName: "DIR"))
    var folder: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Show only the messages of one conversation.", valueName: "USER/SESSION/AGENT"))
    var scope: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Print the settings with which a host starts this server: claude, cursor, vscode or codex.",
            valueName: "HOST"))
    var printConfig: Host?

    func validate() throws {
        if let scope, scope.split(separator: "/").count != 3 || scope.count(where: { $0 == "/" }) != 2 {
            throw ValidationError("--scope must have the form USER/SESSION/AGENT, with three names")
        }
        try TagArgument.check(tag)
        if folder?.isEmpty == true { throw ValidationError("--folder must not be empty") }
    }

    func run() async throws {
        if let printConfig {
            return Terminal.write(
                HostSettings(arguments: try ownArguments()).text(for: printConfig), keepingLines: true)
        }
        if let folder {
            guard FileStatus(folder)?.isFolder == true else {
                throw CommandError(.noInput, "cannot serve \(Terminal.line(folder)): no such folder")
            }
        }
        // Reports a missing store to the person who starts the server, not to the agent's first request.
        let (options, readOnly) = (options, readOnly)
        let handle = StoreHandle(
            open: { readOnly ? try await options.open() : try await options.openOrCreate() },
            reopen: { try await options.open() })
        try await handle.prepare()
        try await LineTransport().serve(MCPServer(handle, rules, version: VersionText.number))
        try await handle.close()
    }

    private var rules: AccessRules {
        var rules = AccessRules()
        rules.tags = Set(tag)
        rules.isReadOnly = readOnly
        if let folder {
            let source = RecordReader.sourceID(URL(fileURLWithPath: folder))
            rules.sourcePrefix = source.hasSuffix("/") ? source : source + "/"
        }
        if let names = scope?.split(separator: "/", omittingEmptySubsequences: false).map(String.init) {
            rules.scope = ChatScope(userId: names[0], sessionId: names[1], agentId: names[2])
        }
        return rules
    }

    /// Returns the arguments of the command line that the host must use, with absolute paths.
    private func ownArguments() throws -> [String] {
        var arguments = ["mcp", "--store", try options.location().standardizedFileURL.path]
        if readOnly { arguments.append("--read-only") }
        for tag in tag { arguments += ["--tag", TagArgument.argument(tag)] }
        if let folder { arguments += ["--folder", URL(fileURLWithPath: folder).standardizedFileURL.path] }
        if let scope { arguments += ["--scope", scope] }
        return arguments
    }
}

struct HostSettings {
    var arguments: [String]

    private struct Server: Encodable {
        var type: String?
        var command: String
        var args: [String]
    }

    /// The path of this executable. Hosts start servers with a search path that may lack the user's folders.
    private var command: String { Bundle.main.executablePath ?? "roost" }

    /// Returns the settings in the format of a host, as a block without comments that can be pasted.
    func text(for host: ModelContext.Host) -> String {
        switch host {
        case .claude, .cursor: json(["mcpServers": ["roost": Server(command: command, args: arguments)]])
        case .vscode: json(["servers": ["roost": Server(type: "stdio", command: command, args: arguments)]])
        case .codex:
            """
            [mcp_servers.roost]
            command = \(quoted(command))
            args = [\(arguments.map(quoted).joined(separator: ", "))]
            """
        }
    }

    private func json(_ value: some Encodable) -> String {
        return (try? Terminal.prettyEncoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Returns a basic string of TOML. JSON's escapes are valid in TOML.
    private func quoted(_ text: String) -> String { json(text) }
}
