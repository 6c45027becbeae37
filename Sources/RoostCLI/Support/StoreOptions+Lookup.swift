import Foundation
import Roost

extension StoreOptions {
    /// The minimum number of digits of an id that identify an entry: fewer digits are rarely unique, and
    /// often a mistake.
    private static let minimumIDLength = 4

    /// Returns the id of the entry that a full id or a unique id prefix identifies.
    func entryID(_ text: String, _ store: KnowledgeStore) async throws -> Entry.ID {
        if let id = UUID(uuidString: text) { return id }
        let digits = text.lowercased()
        guard digits.allSatisfy({ $0.isHexDigit && $0.isASCII || $0 == "-" }) else {
            throw CommandError(
                .usage,
                "invalid id '\(Terminal.line(text, limit: 40))'; run `roost list` to list entries with ids")
        }
        guard digits.count >= Self.minimumIDLength else {
            throw CommandError(
                .usage, "invalid id '\(digits)'; give at least \(Self.minimumIDLength) digits of the id")
        }
        let snapshot = try await store.storage.snapshot()
        let page = try await snapshot.entries(after: nil, limit: 2, matching: EntryFilter(idPrefix: digits))
        guard let first = page.entries.first else {
            throw RoostError(
                .notFound,
                "no entry has the id \(Terminal.line(digits, limit: 40)); run `roost list` to list entries")
        }
        guard page.entries.count == 1 else {
            throw CommandError(.usage, "several ids begin with \(digits); give more digits of the id")
        }
        return first.id
    }

    /// Returns the cluster that an id, an id prefix, or a label identifies. The case of the label matters
    /// only if several labels differ in nothing else.
    func cluster(_ text: String, _ store: KnowledgeStore) async throws -> Cluster {
        let clusters = try await store.storage.fetchClusters()
        guard !clusters.isEmpty else {
            throw RoostError(
                .emptyStore, "the store has no clusters yet; run `roost recluster` to create them")
        }
        let folded = text.lowercased()
        let candidates = [
            clusters.filter { $0.label == text }, clusters.filter { $0.label.lowercased() == folded },
            clusters.filter { $0.id.text.hasPrefix(folded) },
        ]
        let found = candidates.first { !$0.isEmpty } ?? []
        let shown = Terminal.line(text, limit: 40)
        guard let first = found.first, !text.isEmpty else {
            throw RoostError(
                .notFound,
                "no cluster has the id or label '\(shown)'; run `roost cluster list` to list the clusters")
        }
        guard found.count == 1 else {
            throw CommandError(
                .usage, "'\(shown)' matches several clusters; give more digits of the id")
        }
        return first
    }

    /// Returns the cluster that the words of a label, an id, or an id prefix identify.
    func cluster(_ words: [String], _ store: KnowledgeStore) async throws -> Cluster {
        try await cluster(words.joined(separator: " "), store)
    }
}
