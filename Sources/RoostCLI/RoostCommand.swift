import ArgumentParser
import Foundation
import Roost

/// The `roost` command.
struct RoostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost",
        abstract: "Store text locally, search it by meaning, and group it into clusters.",
        discussion: """
            Roost uses the first store that it finds in this order: --store DIR, $ROOST_STORE, a .roost \
            folder in the current folder or one of its parents, and a store in your data folder. \
            Commands that add entries, and `roost mcp`, create the store if it does not exist.

            Examples:
              roost ingest ~/notes
              roost query birds that return in spring
              roost recluster
              roost help exit-statuses
            """,
        version: VersionText.requestedText,
        subcommands: [
            Initialize.self, Add.self, IngestCommand.self, AddFolder.self, Folders.self, RemoveFolder.self,
            Sync.self, Watch.self, Query.self, Similar.self, Duplicates.self,
            Pick.self, Show.self, List.self, CountEntries.self, Links.self, Backlinks.self,
            Edit.self,
            TagCommand.self, Remove.self, Recluster.self, ClusterCommand.self, Export.self,
            ImportCommand.self,
            Stats.self, Index.self, Compact.self, Doctor.self, BackupCommand.self, Migrate.self, Copy.self,
            Reembed.self,
            Undo.self, ChatCommand.self, ModelContext.self, Serve.self, LLM.self,
            Model.self,
            Embed.self, ConfigurationCommand.self, ExitStatuses.self,
        ])

    static func main() async {
        StandardStreams.openMissing()
        Interruption.prepare()
        ProcessSettings.apply()
        ServerStorages.install(PostgresServers())
        do {
            let typed = Array(CommandLine.arguments.dropFirst())
            if typed.first == CompletionWords.option {
                return Terminal.write(
                    Data((CompletionWords(typed.dropFirst()).lines.joined(separator: "\n") + "\n").utf8))
            }
            if let script = CompletionScript.requested(by: typed) {
                return Terminal.write(Data((script + "\n").utf8))
            }
            // The completion scripts of shells pass on an unfinished command line.
            let isCompletion = typed.first == "---completion"
            if !isCompletion {
                try ArgumentCheck.requireValidUTF8()
                try ArgumentCheck.requireNonemptyValues(typed)
            }
            let arguments =
                try isCompletion ? typed : QueryArguments.normalized(CommandNames().resolved(typed))
            if !isCompletion { try HyphenatedFile.check(arguments) }
            try await Interruption.run(arguments.first) {
                var command = try await asyncParseAsRoot(arguments)
                try requireSubcommand(command)
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

    /// Prints the help of a command that only groups others, such as `roost export`, and throws an error.
    private static func requireSubcommand(_ command: any ParsableCommand) throws {
        let type = type(of: command)
        guard type != RoostCommand.self, !type.configuration.subcommands.isEmpty else { return }
        let help = HelpText.formatted(helpMessage(for: type))
        for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
            Terminal.error(String(line))
        }
        throw CommandError(.usage, "missing subcommand of `roost \(type._commandName)`")
    }
}
