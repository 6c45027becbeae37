import CRoostVersion
import Foundation
import Roost
import RoostChunks
import RoostDocuments

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
