import Foundation

/// The settings with which hosts of agents start the server.
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
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Returns a basic string of TOML. JSON's escapes are valid in TOML.
    private func quoted(_ text: String) -> String { json(text) }
}
