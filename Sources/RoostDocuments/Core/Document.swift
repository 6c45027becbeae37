public import Foundation
public import RoostModel

/// The contents of a document that was read: its text and what the document states about itself.
public struct Document: Sendable, Hashable {
    /// The type as which the document was read.
    public var type: DocumentType
    /// The name of the document within its file, such as the id of a message; `nil` if the file contains only
    /// one document.
    public var key: String?
    /// The title that the document states: from its front matter, properties, subject or first heading; `nil`
    /// if it has none.
    public var title: String?
    /// The text that is stored.
    ///
    /// The text of a Markdown, text or source file is the file's own text, so that line numbers agree.
    /// Readers of other types produce Markdown: headings begin with `#`, tables have `|` between cells,
    /// code is fenced, and a form feed (U+000C) separates the pages of a paged document.
    public var text: String {
        didSet { read = nil }
    }
    /// The format of ``text``.
    public var format: TextFormat
    /// The structure of ``text``, if the reader has found it.
    private var read: TextStructure?
    /// Further values by key, such as `author`. The values of front matter keep their types.
    public var metadata: [String: MetadataValue]
    /// The tags, without `#`. A nested tag contains `/`.
    public var tags: [String]
    /// Other names of the document, which links can use.
    public var aliases: [String]
    /// The links in the document, in order.
    public var links: [DocumentLink]
    /// The date that the document states as its creation or publication; `nil` if it states none.
    public var createdAt: Date?
    /// The date that the document states as its last change; `nil` if it states none.
    public var updatedAt: Date?
    /// The location of the text in the file: the line or page on which it begins.
    public var location: EntryLocation?
    /// The parts that could not be read, as messages for the user, such as
    /// `page 3: no text; possibly scanned images`.
    public var unreadParts: [String]
    /// Whether the rest of the document was not read because of a limit. The stored entries that are missing
    /// from the text may be in the rest, so an ingest keeps them.
    public var isTruncated = false

    /// Creates a document.
    ///
    /// - Parameter structure: The structure of the text; `nil` to find it in the text, by its format.
    public init(
        type: DocumentType, key: String? = nil, title: String? = nil, text: String,
        format: TextFormat = .markdown, structure: TextStructure? = nil,
        metadata: [String: MetadataValue] = [:], tags: [String] = [], aliases: [String] = [],
        links: [DocumentLink] = [], createdAt: Date? = nil, updatedAt: Date? = nil,
        location: EntryLocation? = nil, unreadParts: [String] = []
    ) {
        self.type = type
        self.key = key
        self.title = title
        self.text = text
        self.format = format
        read = structure
        self.metadata = metadata
        self.tags = tags
        self.aliases = aliases
        self.links = links
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.location = location
        self.unreadParts = unreadParts
    }

    /// The sections, blocks and links of ``text``, and its parts that are not embedded.
    ///
    /// - Complexity: O(length of the text), unless the reader has found it.
    public var structure: TextStructure {
        if let read { return read }
        var found = TextStructure(of: text, format: format)
        // A reader that converts a document returns its links separately.
        found.links = []
        return found
    }
}

extension TextStructure {
    /// Finds the structure of a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - format: The format of the text.
    /// - Complexity: O(length of text).
    public init(of text: String, format: TextFormat) {
        switch format {
        case .plain: self.init()
        case .markdown: self = MarkdownReader.document(text).structure
        case .mail: self.init(format: .mail, hiddenParts: MailQuotations(text).parts)
        case .code:
            let sections = CodeStructure(text).sections
            self.init(
                format: .code, sections: sections, blocks: sections.map(\.range).filter { !$0.isEmpty })
        }
    }
}
