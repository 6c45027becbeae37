import ArgumentParser
import CRoostVersion
import Foundation
import Roost
import RoostChunks
import RoostDocuments
import RoostStorage

@main
struct RoostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost",
        abstract: "Store text locally, search it by meaning, and group it into clusters.",
        discussion: """
            The store is --store DIR, $ROOST_STORE, a .roost folder here or above, or one in your data folder.
            """,
        version: VersionText.requestedText,
        groupedSubcommands: [
            CommandGroup(
                name: "Texts",
                subcommands: [
                    Add.self, IngestCommand.self, FolderCommand.self, Sync.self, List.self, Show.self,
                    Edit.self, Remove.self, Undo.self,
                ]),
            CommandGroup(
                name: "Search", subcommands: [Query.self, Similar.self, ChatCommand.self]),
            CommandGroup(name: "Clusters", subcommands: [Recluster.self, ClusterCommand.self]),
            CommandGroup(
                name: "Store",
                subcommands: [
                    Initialize.self, Status.self, Index.self, Doctor.self, BackupCommand.self, Copy.self,
                    Export.self, ImportCommand.self, Grant.self, Model.self, ConfigurationCommand.self,
                ]),
            CommandGroup(name: "Servers", subcommands: [ModelContext.self, Serve.self, Open.self]),
        ])

    static func main() async {
        await ReaderWorker.serveIfRequested()
        ProcessSettings.apply()
        ReaderWorker.standard = ReaderWorker()
        StandardStreams.openMissing()
        Interruption.prepare()
        ServerStorages.install(PostgresServers())
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            try ArgumentCheck.requireValidUTF8()
            try ArgumentCheck.requireNonemptyValues(arguments)
            try await Interruption.run(arguments.first) {
                var command = try await parsed(arguments)
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            }
        } catch {
            Failure.exit(with: error)
        }
    }

    /// Parses arguments.
    ///
    /// ArgumentParser reads the options of all commands first, which takes longer than the search of a query.
    /// Therefore, a command without subcommands parses its own arguments. They are parsed again for an error message or a
    /// help text, because these begin with the name of the program.
    private static func parsed(_ arguments: [String]) async throws -> any ParsableCommand {
        // ArgumentParser would give a command with subcommands another one, `help`.
        let named = configuration.subcommands.first {
            $0._commandName == arguments.first && $0.configuration.subcommands.isEmpty
        }
        let command = try? named?.parseAsRoot(Array(arguments.dropFirst()))
        if let command, type(of: command)._commandName != "help" { return command }
        return try await asyncParseAsRoot(arguments)
    }

    /// The names of the command that the arguments of the process name, such as `cluster` and `merge`.
    static var requestedNames: [String] {
        var command: any ParsableCommand.Type = RoostCommand.self
        var names: [String] = []
        for word in CommandLine.arguments.dropFirst() {
            guard let child = command.configuration.subcommands.first(where: { $0._commandName == word })
            else { break }
            names.append(word)
            command = child
        }
        return names
    }
}

enum VersionText {
    /// The version of Roost, which is defined only here. Scripts/package reads it from the program.
    static let number = "0.1.0"

    /// The commit that the program was built from; `nil` if the build did not record it.
    private static var commit: String? {
        let text = String(cString: roost_build_commit())
        return text.isEmpty ? nil : text
    }

    /// The text, if the arguments of the process can request it, and otherwise the number. ArgumentParser
    /// needs a text at each start, but the whole one takes a millisecond and reads the folder of models.
    static var requestedText: String {
        CommandLine.arguments.contains { ["--version", "-V"].contains($0) } ? text : number
    }

    private static var text: String {
        let models = UserDirectories().models.names().map { Terminal.line($0) }
        var parts = [
            (name: "BLAS", version: "\(BLAS.implementation)"),
            (name: "SQLite", version: SQLiteStorageProvider.libraryVersion),
        ]
        parts += CompressionLibraries.versions + DocumentLibraries.versions
        parts.append(
            ("models", models.isEmpty ? "none installed; using lexical" : models.joined(separator: ", ")))
        let width = parts.map(\.name.count).max() ?? 0
        let lines = parts.map { part in
            part.name.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + part.version
        }
        let title = "roost \(number)" + (commit.map { " (commit \($0))" } ?? "")
        return ([title] + lines).joined(separator: "\n")
    }
}
