import ArgumentParser
import Foundation
import Roost

struct AddFolder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-folder", abstract: "Remember a folder, so that `roost sync` keeps it up to date.",
        discussion: """
            The store remembers the folder and its options; `roost sync` and `roost watch` read its files. \
            Adding a folder again replaces its options.

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
