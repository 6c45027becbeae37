import ArgumentParser
import Foundation
import Roost
import Synchronization

struct BuildIndex: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build", abstract: "Rebuild the index.",
        discussion: """
            Examples:
              roost index build
              roost index build -v
            """)

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let store = try await options.open()
        let start = Date()
        let made = try await Progress(isQuiet: options.quiet).during("building the index") {
            try await store.buildIndex()
        }
        let database = try await buildInDatabase(store)
        try await store.close()
        guard let made else {
            options.note("cannot build an index: the store is empty")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        options.detail(String(format: "built in %.1f s", Date().timeIntervalSince(start)))
        if let database {
            return Terminal.write(
                "\(Count.text(made.entries, "entry", "entries")); "
                    + "index of words: \(ByteCount.text(made.bytes)); "
                    + "index of vectors in the database: \(ByteCount.text(database.bytes))")
        }
        let graph = made.hasGraph ? ", with a graph for approximate search" : ""
        Terminal.write(
            "\(Count.text(made.entries, "entry", "entries")), \(Count.text(made.passages, "passage")), "
                + "\(ByteCount.text(made.bytes))\(graph)")
    }
}

extension BuildIndex {
    /// The interval at which a build in the database is reported, in seconds.
    private static let reportInterval: TimeInterval = 5

    /// Builds the index over vectors in the database, if searches run there.
    private func buildInDatabase(_ store: KnowledgeStore) async throws -> PassageIndexState? {
        let last = Mutex(Date())
        return try await store.buildDatabaseIndex { step, share in
            let isDue = last.withLock { last in
                guard Date().timeIntervalSince(last) >= Self.reportInterval else { return false }
                last = Date()
                return true
            }
            guard isDue else { return }
            let done = share.map { String(format: ", %.0f %%", $0 * 100) } ?? ""
            options.note("index in the database: \(step)\(done)")
        }
    }
}
