public import Foundation
import RoostChunks
import RoostModel

/// The contents of a source, before they are compared with the store.
public struct SourceDraft: Sendable, Hashable {
    /// The id of the source: a `file:` URL, `stdin`, `add`, or a name that the caller chooses.
    public var id: String
    /// A text that changes whenever the contents change, such as a digest.
    public var fingerprint: String
    /// The entries of the source.
    public var entries: [EntryDraft]
    /// Whether ``entries`` are all entries of the source, so that stored entries that are missing from them
    /// are removed. `false` for a stream, which only adds entries.
    public var isComplete: Bool
    /// The original file, if it should be stored (``OriginalStore``). In that case, the fingerprint must
    /// begin with the document's digest, as that of ``init(id:keeping:entries:)`` does.
    public var original: Data?
    /// The parts of the source that could not be read. If there are any, the ingest reports them and removes
    /// no entry of the source, because the missing entries may be in these parts.
    public var skipped: [IngestReport.Skip] = []
    /// Whether stored entries that are missing from ``entries`` stay in the store, such as the items that a
    /// feed no longer contains, or the parts of a document after a limit.
    public var keepsMissingEntries = false
    /// Whether the source was not read, because the store contains it with an equal fingerprint.
    var isUnread = false
    /// Whether the source is a file that contains nothing, or only white space.
    var isEmptyFile = false

    /// The reason that is reported for an empty file whose entries stay in the store.
    static let emptyReason = "it is empty; its former entries are kept"

    /// Creates a draft.
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

    /// Creates a draft from the texts of a document, which is itself stored byte for byte.
    public init(id: String, keeping original: Data, entries: [EntryDraft]) {
        self.init(
            id: id, fingerprint: Self.fingerprint(of: original), entries: entries, original: original)
    }

    /// Returns the name of a source in messages: the path of a file, or the id of another source.
    static func displayName(of id: Source.ID) -> String {
        guard let url = URL(string: id), url.isFileURL else { return id }
        return url.path
    }

    /// Returns whether a file contains nothing, or only white space.
    static func isEmpty(_ file: Data) -> Bool { file.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) } }

    /// Returns the fingerprint of a document: `sha256:` and its digest in hexadecimal.
    static func fingerprint(of document: Data) -> String { "sha256:" + ChunkIdentifier(hashing: document).id }
}
