public import Foundation
import RoostChunks
public import RoostModel

/// What a reader found in one source, before it is compared with the store.
public struct SourceDraft: Sendable, Hashable {
    /// The source's id: a `file:` URL, `stdin`, `add`, or a name of the caller's.
    public var id: String
    /// Equal to the last ingest's where nothing has changed.
    public var fingerprint: String
    public var entries: [EntryDraft]
    /// Whether the drafts are all that the source has, so that what is not among them is gone; `false` for
    /// a stream, which only adds.
    public var isComplete: Bool
    /// The document itself, where it is to be kept (``OriginalStore``); the fingerprint has to begin with its
    /// digest then, as that of ``init(id:keeping:entries:)`` does.
    public var original: Data?

    public init(
        id: String, fingerprint: String, entries: [EntryDraft], isComplete: Bool = true,
        original: Data? = nil
    ) {
        self.id = id
        self.fingerprint = fingerprint
        self.entries = entries
        self.isComplete = isComplete
        self.original = original
    }

    /// A whole document that is to be kept byte for byte, with the texts in it.
    public init(id: String, keeping original: Data, entries: [EntryDraft]) {
        self.init(
            id: id, fingerprint: Self.fingerprint(of: original), entries: entries, original: original)
    }

    /// `sha256:` and the digest of a document in hexadecimal.
    static func fingerprint(of document: Data) -> String { "sha256:" + ChunkIdentifier(hashing: document).id }
}

/// A text that may become an entry.
public struct EntryDraft: Sendable, Hashable {
    /// Its name within the source; `nil` takes the content's digest and occurrence.
    public var key: String?
    public var content: String
    public var metadata: [String: MetadataValue]
    public var tags: [String]
    /// Where it stands in the source, for messages: `line 3`.
    public var place: String?
    /// The line of the source, from 1, that it begins on; 1 for a whole file.
    public var line: Int

    public init(
        key: String? = nil, content: String, metadata: [String: MetadataValue] = [:], tags: [String] = [],
        place: String? = nil, line: Int = 1
    ) {
        self.key = key
        self.content = content
        self.metadata = metadata
        self.tags = tags
        self.place = place
        self.line = line
    }
}

/// What an ingest did.
public struct IngestReport: Sendable, Hashable, Encodable {
    /// Something that was not taken in, and why.
    public struct Skip: Sendable, Hashable, Encodable {
        public var source: String
        public var reason: String

        public init(source: String, reason: String) {
            self.source = source
            self.reason = reason
        }
    }

    public var new = 0
    public var updated = 0
    public var removed = 0
    public var unchanged = 0
    /// Texts whose vectors were taken from an equal text in the store.
    public var reused = 0
    /// Tokens that went through the model.
    public var tokens = 0
    /// Tokens beyond the model's limit that no passage could take in.
    public var omittedTokens = 0
    public var skipped: [Skip] = []

    public init() {}
}

/// How to ingest.
public struct IngestOptions: Sendable {
    /// Put on every entry, beside its own.
    public var tags: [String] = []
    /// Look, but write nothing.
    public var isDryRun = false
    /// About how many entries go into one commit.
    public var batchSize = 256
    /// About how much text to embed goes into one commit, in bytes: what a killed process has to do again.
    public var batchBytes = 128 << 10
    /// Told after each commit how far the ingest has come.
    public var progress: (@Sendable (IngestProgress) -> Void)?

    public init(
        tags: [String] = [], isDryRun: Bool = false, batchSize: Int = 256,
        progress: (@Sendable (IngestProgress) -> Void)? = nil
    ) {
        precondition(batchSize > 0, "a batch of \(batchSize)")
        self.tags = tags
        self.isDryRun = isDryRun
        self.batchSize = batchSize
        self.progress = progress
    }
}

/// How far an ingest has come.
public struct IngestProgress: Sendable, Hashable {
    /// Entries that are in the store, those included that were there before.
    public var entries = 0
    /// Sources that have been taken in full.
    public var sources = 0
    /// How much of the source after them has been taken, from 0 to 1.
    public var fractionOfNextSource = 0.0

    public init() {}
}
