import ArgumentParser
import Roost

struct RemoveFolder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-folder", abstract: "Forget a remembered folder, and keep its entries.",
        discussion: """
            `roost remove --source PATH` removes the entries of a folder.

            Examples:
              roost remove-folder ~/notes
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: ArgumentHelp("The folder.", valueName: "PATH"), completion: .directory)
    var path: String

    func run() async throws {
        let store = try await options.open(recordingUndo: false)
        let folder = try options.syncedFolder(
            path, in: store, else: "run `roost folders` to list the folders")
        try await store.removeFolder(folder)
        try await store.close()
        Terminal.write("\(Terminal.line(folder.path)) is no longer synced; its entries stay")
    }
}
