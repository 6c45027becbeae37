import ArgumentParser
import Roost

struct Folders: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "folders", abstract: "List the remembered folders.",
        discussion: """
            Examples:
              roost folders
              roost folders --format json
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var output: ListOutputOptions

    func run() async throws {
        let store = try await options.open(recordingUndo: false)
        let folders = try store.syncedFolders()
        try await store.close()
        let columns = [
            TableColumn(name: "path"), TableColumn(name: "options", style: .dim, isFlexible: true),
        ]
        var writer = ListWriter(output, columns)
        try writer.write(
            folders.map { folder in
                ListRow(
                    cells: [folder.path, Self.settings(of: folder)],
                    document: folder, path: folder.path)
            })
        writer.finish(options)
        if folders.isEmpty {
            options.note("the store remembers no folders; add one with `roost add-folder PATH`")
        }
    }

    /// Returns the options of a folder as on the command line.
    private static func settings(of folder: SyncedFolder) -> String {
        var settings =
            folder.globs.map { "--glob \($0)" } + folder.exclusions.map { "--exclude \($0)" }
            + folder.tags.map { "--tag \($0)" }
        if let column = folder.textColumn { settings.append("--text-column \(column)") }
        if let column = folder.idColumn { settings.append("--id-column \(column)") }
        if folder.followsLinks { settings.append("--follow") }
        if folder.keepsOriginals { settings.append("--keep-originals") }
        return Terminal.line(settings.joined(separator: " "), limit: .max)
    }
}
