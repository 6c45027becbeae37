import ArgumentParser
import Roost

struct Compact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Free unused space, and update the human-readable JSON files.",
        discussion: """
            For a JSON store, merges the journal into entries.json and clusters.json. For a SQLite \
            store, frees the space of removed entries. Removes stored originals that no entry uses. \
            Other writers wait until the command ends.

            Examples:
              roost compact
              roost compact --max-size 2GB
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        name: .long,
        help: ArgumentHelp("Change the store's maximum size: 500MB, 2GB, or none.", valueName: "SIZE"))
    var maxSize: String?

    func run() async throws {
        let location = try options.location()
        let limit = try maxSize.map { try ByteCount.parse($0, option: "--max-size") }
        if try StoreManifest.read(in: location).provider == .postgres { return try await compactOnServer() }
        let isRaised = try limit.map { try $0 ?? .max >= StoreManifest.presentSize(in: location) } ?? false
        if let limit, isRaised { try StoreManifest.setMaximumSize(limit, in: location) }
        let store = try await options.open()
        let before = try StoreManifest.presentSize(in: location)
        try await Progress(isQuiet: options.quiet).during("compacting \(ByteCount.text(before))") {
            try await store.compact()
        }
        try await store.close()
        let after = try StoreManifest.presentSize(in: location)
        if let limit, !isRaised {
            guard after <= limit ?? .max else {
                throw CommandError(
                    .usage,
                    "cannot set the maximum size: the store already takes \(ByteCount.text(after)); remove "
                        + "entries first")
            }
            try StoreManifest.setMaximumSize(limit, in: location)
        }
        Terminal.write("\(ByteCount.text(before)) before, \(ByteCount.text(after)) now")
    }

    private func compactOnServer() async throws {
        guard maxSize == nil else {
            throw CommandError(
                .usage, "a store in PostgreSQL has no maximum size; limit the database on the server")
        }
        let store = try await options.open()
        try await Progress(isQuiet: options.quiet).during("compacting") { try await store.compact() }
        try await store.close()
        Terminal.write("deleted superseded data; the server reuses its space after the next vacuum")
    }
}
