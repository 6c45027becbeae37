import ArgumentParser
import Foundation
import Roost

/// The `roost` command.
@main
struct RoostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost",
        abstract: "Store text locally, search it by meaning, and group it into clusters.",
        discussion: """
            Roost uses the first store that it finds in this order: --store DIR, $ROOST_STORE, a .roost \
            folder in the current folder or one of its parents, and a store in your data folder. \
            `roost ingest` and `roost add` create the store if it does not exist.

            Examples:
              roost ingest ~/notes
              roost query birds that return in spring
              roost recluster
              roost help exit-statuses
            """,
        version: VersionText.text,
        subcommands: [
            Initialize.self, Add.self, IngestCommand.self, AddFolder.self, Folders.self, RemoveFolder.self,
            Sync.self, Watch.self, Query.self, Similar.self, Duplicates.self,
            Pick.self, Show.self, List.self, Links.self, Backlinks.self,
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
        ServerStorages.install(PostgresServers())
        do {
            let typed = Array(CommandLine.arguments.dropFirst())
            // The completion scripts of shells pass on an unfinished command line.
            let isCompletion = typed.first == "---completion"
            if !isCompletion { try ArgumentCheck.requireNonemptyValues(typed) }
            let arguments =
                try isCompletion ? typed : QueryArguments.normalized(CommandNames().resolved(typed))
            try await Interruption.run {
                var command = try await asyncParseAsRoot(arguments)
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
}
