import ArgumentParser
import Foundation
import Roost

struct Duplicates: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find groups of near-duplicate entries.",
        discussion: """
            Any two entries of a group have at least the given cosine similarity. The entries of a group \
            are listed oldest first, each with its similarity to the first entry.

            Examples:
              roost duplicates
              roost duplicates --threshold 0.9 --tag draft
            """)

    /// The JSON output for a group.
    private struct Document: Encodable {
        struct Member: Encodable {
            var id: String
            var score: Float
            var path: String?
            var source: String?
            var text: String
        }

        var entries: [Member]
    }

    @OptionGroup var options: StoreOptions
    @OptionGroup var filters: FilterOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The minimum cosine similarity of any two entries of a group.", valueName: "cosine"))
    var threshold: Float = 0.95

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    func validate() throws {
        guard threshold > 0, threshold <= 1 else {
            throw ValidationError("--threshold must be a number above 0 and at most 1, not \(threshold).")
        }
    }

    func run() async throws {
        let store = try await options.open()
        let filter = try await filters.filter(options, store)
        let groups = try await store.duplicates(threshold: threshold, matching: filter)
        let snapshot = try await store.storage.snapshot()
        if json {
            var documents: [Document] = []
            for group in groups {
                documents.append(
                    Document(
                        entries: try await members(group, snapshot).map { entry, score in
                            Document.Member(
                                id: entry.id.text, score: score, path: entry.sourcePath, source: entry.source,
                                text: Terminal.line(entry.content, limit: 200))
                        }))
            }
            try Terminal.json(documents)
        } else {
            for group in groups {
                Terminal.write(Terminal.bold("\(group.entries.count) near-duplicates"))
                for (entry, score) in try await members(group, snapshot) {
                    Terminal.write(
                        "  \(Terminal.score(score))  \(Terminal.safe(entry.displayPath))  "
                            + Terminal.dim(String(entry.id.text.prefix(8))) + "  "
                            + Terminal.line(entry.content, limit: 60))
                }
            }
        }
        try await store.close()
        if groups.isEmpty {
            options.note("no two entries have a cosine similarity of \(threshold) or more")
        }
    }

    private func members(
        _ group: DuplicateGroup, _ snapshot: any StorageSnapshot
    ) async throws -> [(Entry, Float)] {
        let scores = Dictionary(uniqueKeysWithValues: zip(group.entries, group.scores))
        return try await snapshot.entries(group.entries).map { ($0, scores[$0.id] ?? 0) }
    }
}
