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
            """,
        version: VersionText.text,
        subcommands: [
            Initialize.self, Add.self, IngestCommand.self, Query.self, Similar.self, Duplicates.self,
            Show.self, List.self, Links.self, Backlinks.self,
            Edit.self,
            TagCommand.self, Remove.self, Recluster.self, ClusterCommand.self, Export.self,
            ImportCommand.self,
            Stats.self, Index.self, Compact.self, Doctor.self, BackupCommand.self, Migrate.self, Reembed.self,
            Undo.self, ChatCommand.self, SessionCommand.self, ModelContext.self, Serve.self,
            Model.self,
            Embed.self, ConfigurationCommand.self,
        ])

    static func main() async {
        do {
            try ArgumentCheck.requireNonemptyValues(Array(CommandLine.arguments.dropFirst()))
            let arguments = try CommandNames().resolved(Array(CommandLine.arguments.dropFirst()))
            try await Interruption.run {
                var command = try parseAsRoot(QueryArguments.normalized(arguments))
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

/// The text that `roost --version` prints.
enum VersionText {
    static let number = "0.1.0"

    static var text: String {
        let models = UserDirectories().models.names().map { Terminal.line($0) }
        return """
            roost \(number)
            BLAS    \(BLAS.implementation)
            SQLite  \(SQLiteStorageProvider.libraryVersion)
            models  \(models.isEmpty ? "none installed; using lexical" : models.joined(separator: ", "))
            """
    }
}
