public import Foundation
import RoostChunks
import RoostDocuments
public import RoostModel

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
    /// begin with `sha256:` and the digest of the file.
    public var original: Data?
    /// The parts of the source that could not be read. If there are any, the ingest reports them and removes
    /// no entry of the source, because the missing entries may be in these parts.
    public var skipped: [IngestReport.Finding] = []
    /// The assumptions with which the source was read, and its dates that are not clear. The ingest reports them.
    public var notices: [IngestReport.Finding] = []
    /// Whether stored entries that are missing from ``entries`` stay in the store, such as the items that a
    /// feed no longer contains, or the parts of a document after a limit.
    public var keepsMissingEntries = false
    /// Whether the source was not read, because the store contains it with an equal fingerprint.
    var isUnread = false

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

    /// Returns the fingerprint of a document: `sha256:` and its digest in hexadecimal.
    static func fingerprint(of document: Data) -> String { "sha256:" + ChunkIdentifier(hashing: document).id }
}

/// A text that may become an entry.
public struct EntryDraft: Sendable, Hashable {
    /// The name of the text within its source; if `nil`, a name is derived from the content and from the
    /// number of earlier equal texts.
    public var key: String?
    /// The text.
    public var content: String {
        didSet { structure = nil }
    }
    /// The structure that a reader found; `nil` if it has not been read. An ingest reads it as Markdown.
    public var structure: TextStructure?
    /// The metadata of the entry.
    public var metadata: [String: MetadataValue]
    /// The tags of the entry. They are stored with one space in place of each run of white space and control
    /// characters; empty tags are ignored, and so are further spellings of one tag.
    public var tags: [String]
    /// The location of the text in its source, for messages, such as `line 3`.
    public var location: String?
    /// The location of the text in its source, which is stored with the entry; `nil` if it is unknown. It is
    /// not stored for entries of a stream.
    public var sourceLocation: EntryLocation?
    /// The date of creation that the source states; `nil` if it states none. A stored entry gets this date
    /// when its source is ingested again.
    public var createdAt: Date?
    /// The date of the last change that the source states; `nil` if it states none.
    public var updatedAt: Date?
    /// The dates of the file, for a text that is a whole file and does not state its own dates.
    var fileDates: FileDates?

    /// Creates a draft.
    public init(
        key: String? = nil, content: String, structure: TextStructure? = nil,
        metadata: [String: MetadataValue] = [:], tags: [String] = [], location: String? = nil,
        sourceLocation: EntryLocation? = nil, createdAt: Date? = nil, updatedAt: Date? = nil
    ) {
        self.key = key
        self.content = content
        self.structure = structure
        self.metadata = metadata
        self.tags = tags
        self.location = location
        self.sourceLocation = sourceLocation
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension DocumentReader {
    /// The part of the fingerprint of a source that records its type and the version of its reader: a file that
    /// was read by another version has another fingerprint, so the next ingest reads it again.
    func suffix(as type: DocumentType) -> String { ";reader=\(type.name).\(version)" }
}

extension Source {
    /// The type as which the source was last read, and the version of its reader; `nil` if the source is not a
    /// document.
    var readerVersion: Substring? {
        fingerprint.split(separator: ";").first { $0.hasPrefix("reader=") }?.dropFirst("reader=".count)
    }

    /// The name of the document type as which the source was last read, such as `markdown`; `nil` if the
    /// source is not a document.
    public var documentType: String? {
        readerVersion.map { String($0[..<($0.lastIndex(of: ".") ?? $0.endIndex)]) }
    }
}

struct EntryDates: Sendable, Hashable {
    /// The dates that the text states.
    private let created: Date?
    private let updated: Date?
    /// The dates of the file, which apply if the text states none.
    private let file: FileDates?

    init(of draft: EntryDraft) {
        func accepted(_ date: Date?) -> Date? {
            // A store rejects dates that cannot be written.
            date.flatMap { $0.isWritable ? $0.wholeMilliseconds : nil }
        }
        (created, updated) = (accepted(draft.createdAt), accepted(draft.updatedAt))
        file = draft.fileDates
    }

    /// Sets the dates of an entry whose contents are new or differ from the stored ones.
    func apply(to entry: inout Entry, replacing old: Entry? = nil) {
        applyCreation(to: &entry, replacing: old)
        let changed = file?.updatedAt ?? (old == nil ? entry.createdAt : Date())
        entry.updatedAt = updated ?? max(changed, entry.createdAt)
    }

    /// The date that the text states takes precedence. The date of the file is used only if it is earlier
    /// than the stored date, because editors replace a file when they save it.
    func applyCreation(to entry: inout Entry, replacing old: Entry?) {
        let former = old?.createdAt ?? updated ?? Date()
        entry.createdAt = created ?? min(file?.createdAt ?? former, former)
    }

    /// Whether the text states a date of its last change that differs from that of a stored entry.
    func statesOtherChange(than old: Entry) -> Bool {
        updated.map { $0 != old.updatedAt } ?? false
    }
}

struct FileDates: Sendable, Hashable {
    /// The date at which the file was created, or the date of its last change if that is earlier: copying a
    /// file, or saving it under a temporary name first, creates a new file with an old or equal date of
    /// change.
    var createdAt: Date
    var updatedAt: Date

    init?(of url: URL) {
        // Without the dates, an entry has the dates of its ingest. Reading the file reports the cause.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
            let updated = attributes[.modificationDate] as? Date
        else { return nil }
        updatedAt = updated
        createdAt = min(attributes[.creationDate] as? Date ?? updated, updated)
    }
}
