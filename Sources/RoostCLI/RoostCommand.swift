import ArgumentParser
import Foundation
import Roost

/// The command `roost`.
@main
struct RoostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost",
        abstract: "A local store of text that is searched by meaning and grouped into clusters.",
        discussion: """
            The store is --store DIR, else $ROOST_STORE, else the nearest .roost upward, else one in the \
            user's data folder. `roost ingest` and `roost add` make it if there is none.
            """,
        version: VersionText.text,
        subcommands: [
            Initialize.self, Add.self, IngestCommand.self, Query.self, Similar.self, Duplicates.self,
            Show.self, List.self,
            Edit.self,
            TagCommand.self, Remove.self, Recluster.self, ClusterCommand.self, Export.self,
            ImportCommand.self,
            Stats.self, Index.self, Compact.self, Doctor.self, BackupCommand.self, Migrate.self, Reembed.self,
            Undo.self, ChatCommand.self, SessionCommand.self,
            Model.self,
            Embed.self, ConfigurationCommand.self,
        ])

    static func main() async {
        do {
            try await Interruption.run {
                var command = try parseAsRoot()
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

/// What `roost --version` says.
enum VersionText {
    static let number = "0.1.0"

    static var text: String {
        let models = UserPlaces().models.names()
        return """
            roost \(number)
            BLAS    \(BLAS.implementation)
            SQLite  \(SQLiteStorageProvider.libraryVersion)
            models  \(models.isEmpty ? "none installed; lexical is used" : models.joined(separator: ", "))
            """
    }
}
