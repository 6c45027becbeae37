import ArgumentParser
import Foundation
import Roost

struct FolderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "folder", abstract: "Manage the folders that `roost sync` reads.",
        discussion: """
            Examples:
              roost folder add ~/notes --exclude drafts
              roost sync
            """,
        subcommands: [AddFolder.self, ListFolders.self, RemoveFolder.self])

    struct AddFolder: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Remember a folder, so that `roost sync` keeps it up to date.",
            discussion: "Adding a folder again replaces its options.")

        @OptionGroup var options: StoreOptions

        @Argument(help: ArgumentHelp("The folder.", valueName: "PATH"), completion: .directory)
        var path: String

        @OptionGroup var reading: ReadingOptions

        func run() async throws {
            var folder = SyncedFolder(URL(fileURLWithPath: path))
            (folder.globs, folder.exclusions) = (reading.glob, reading.exclude)
            folder.followsLinks = reading.follow
            (folder.textColumn, folder.idColumn) = (reading.textColumn, reading.idColumn)
            (folder.tags, folder.keepsOriginals) = (reading.tag, reading.keepOriginals)
            let store = try await options.openOrCreate()
            try await store.folders.add(folder)
            try await store.close()
            Terminal.write("remembered \(Terminal.line(folder.path))")
        }
    }

    struct ListFolders: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the remembered folders.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let store = try await options.open(recordingUndo: false)
            let folders = try store.folders.all()
            try await store.close()
            let columns = [
                TableColumn(name: "path"), TableColumn(name: "options", style: .dim, isFlexible: true),
            ]
            var writer = ListWriter(output, columns)
            try writer.write(
                folders.map { folder in
                    ListRow(
                        cells: [folder.path, Self.settings(of: folder)], document: folder, path: folder.path)
                })
            writer.finish(options)
            if folders.isEmpty {
                options.note("the store remembers no folders; add one with `roost folder add PATH`")
            }
        }

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
            commandName: "remove", abstract: "Forget a remembered folder, and keep its entries.",
            discussion: "`roost remove --source PATH` removes the entries of a folder.")

        @OptionGroup var options: StoreOptions

        @Argument(help: ArgumentHelp("The folder.", valueName: "PATH"), completion: .directory)
        var path: String

        func run() async throws {
            let store = try await options.open(recordingUndo: false)
            try await store.folders.remove(try options.syncedFolder(path, in: store))
            try await store.close()
            Terminal.write("\(Terminal.line(path)) is no longer synced; its entries stay")
        }
    }
}
