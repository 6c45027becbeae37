public import Foundation
public import RoostModel

/// An entry that was added to a store, or that the store contained already.
public struct AddedEntry: Sendable, Hashable {
    /// The id of the entry.
    public var id: Entry.ID
    /// Whether the entry was added; `false` if the store contained an entry with the same text.
    public var isNew: Bool
}

/// Adds a single text as part of a stream source, which only adds entries.
enum TextAddition {
    /// The id of the source to which added texts belong.
    private static let source = "add"

    /// Adds a text and returns its entry.
    static func run(
        _ content: String, tags: [String], metadata: [String: MetadataValue], to store: KnowledgeStore
    ) async throws -> AddedEntry {
        guard !content.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "cannot add the text: it is empty")
        }
        if let reason = TextParts.refusal(of: content) {
            throw RoostError(.badInput, "cannot add the text: \(reason)")
        }
        let draft = EntryDraft(content: content, metadata: metadata, tags: tags)
        let report = try await Ingestor.run(
            [SourceDraft(id: source, fingerprint: "", entries: [draft], isComplete: false)], into: store,
            IngestOptions())
        let snapshot = try await store.storage.snapshot()
        let digest = ContentDigest(of: content)
        for occurrence in 0... {
            let key = EntryID.contentKey(digest, occurrence: occurrence)
            let id = EntryID.derived(source: source, key: key)
            guard let entry = try await snapshot.entries([id]).first else { break }
            if entry.content.utf8.elementsEqual(content.utf8) {
                return AddedEntry(id: id, isNew: report.new > 0)
            }
        }
        throw StorageError(
            .conflict, "cannot add the text: another process removed it at the same time", isRetryable: true)
    }
}
