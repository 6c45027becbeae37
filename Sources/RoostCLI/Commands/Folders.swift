import ArgumentParser
import Foundation
import Roost

struct AddFolder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-folder", abstract: "Remember a folder, so that `roost sync` keeps it up to date.",
        discussion: """
            The folder and its options are stored with the store; the files are read by `roost sync` and \
            `roost watch`. Adding a folder again replaces its options.

            Examples:
              roost add-folder ~/notes --exclude drafts
              roost sync
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: ArgumentHelp("The folder.", valueName: "PATH"), completion: .directory)
    var path: String

    @Option(name: .long, help: "Read only files that match this pattern; repeatable.")
    var glob: [String] = []

    @Option(name: .long, help: "Skip files and folders that match this pattern; repeatable.")
    var exclude: [String] = []

    @Flag(
        name: .long,
        help: "Also follow symbolic links to folders, and to files outside the given folder.")
    var follow = false

    @Option(name: .long, help: "The column or key that contains the text.")
    var textColumn: String?

    @Option(name: .long, help: "The column or key that identifies a row.")
    var idColumn: String?

    @Option(name: .long, help: "Add a tag to every entry; repeatable.", transform: TagArgument.tag)
    var tag: [String] = []

    @Flag(name: .long, help: "Store each file byte for byte, for `roost show --original`.")
    var keepOriginals = false

    func run() async throws {
        var folder = SyncedFolder(URL(fileURLWithPath: path))
        (folder.globs, folder.exclusions, folder.followsLinks) = (glob, exclude, follow)
        (folder.textColumn, folder.idColumn) = (textColumn, idColumn)
        (folder.tags, folder.keepsOriginals) = (tag, keepOriginals)
        let store = try await options.openOrCreate()
        try await store.addFolder(folder)
        try await store.close()
        Terminal.write("remembered \(Terminal.line(folder.path))")
        if !exclude.isEmpty {
            var finder = FileFinder(globs: glob, exclusions: exclude)
            finder.followsLinks = follow
            // A folder that does not exist yet is not a reason to fail.
            ExclusionNotice.show(
                (try? finder.find(URL(fileURLWithPath: path)))?.unusedExclusions ?? [], options)
        }
        options.note("`roost sync` reads its files, and `roost watch` keeps them up to date")
    }
}

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
        let folder = try options.syncedFolder(path, in: store)
        try await store.removeFolder(folder)
        try await store.close()
        Terminal.write("\(Terminal.line(folder.path)) is no longer synced; its entries stay")
    }
}
