import ArgumentParser
import Roost

struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Revert the last command that changed the store.",
        discussion: """
            Reverts one command, and only if nothing else has changed the store since. For `roost mcp` and \
            `roost serve`, it reverts the last change that a client requested. Restored entries are appended \
            after the other entries. The commands init, doctor and copy, and changes by other programs, \
            cannot be reverted.

            Examples:
              roost undo --dry-run
              roost undo
            """)

    @OptionGroup var options: StoreOptions

    @Flag(name: .long, help: "Show what would be reverted, without changing anything.")
    var dryRun = false

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let store = try await options.open(recordingUndo: false)
        let report = try await store.undo(isDryRun: dryRun)
        try await store.close()
        if json { return try Terminal.json(report) }
        let parts = [
            "\(report.removed) removed", "\(report.restored) restored",
            report.restoresClusters ? "clusters restored" : nil,
        ].compactMap(\.self).joined(separator: ", ")
        Terminal.write("\(dryRun ? "would revert" : "reverted") `roost \(report.command)`: \(parts)")
    }
}
