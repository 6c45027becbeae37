public import Foundation
public import RoostModel

/// The contents of a document that was read: its text and what the document states about itself.
public struct Document: Sendable, Hashable, Codable {
    /// The name of the document within its file, such as the id of a message; `nil` if the file contains only
    /// one document. The entry keeps its id while the name stays the same, so names should be different and should
    /// not depend on the order.
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
    /// The text of a date of creation that is not clear, such as `3/4/2025`; `nil` if the document states none. The
    /// entry does not get the date of the file in its place.
    public var unclearDate: String?
    /// The location of the text in the file: the line or page on which it begins.
    public var location: EntryLocation?
    /// The parts that could not be read, as messages for the user, such as
    /// `page 3: no text; possibly scanned images`.
    public var unreadParts: [String]

    /// Creates a document.
    ///
    /// - Parameter structure: The structure of the text; `nil` to find it in the text, by its format.
    public init(
        key: String? = nil, title: String? = nil, text: String,
        format: TextFormat = .markdown, structure: TextStructure? = nil,
        metadata: [String: MetadataValue] = [:], tags: [String] = [], aliases: [String] = [],
        links: [DocumentLink] = [], createdAt: Date? = nil, updatedAt: Date? = nil,
        location: EntryLocation? = nil, unreadParts: [String] = []
    ) {
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

    /// The document with its structure, so that ``structure`` need not find it again.
    var withStructure: Document {
        var document = self
        document.read = structure
        return document
    }
}

/// The documents of a file, and the parts of the file that could not be read.
public struct DocumentContents: Sendable, Hashable, Codable, ExpressibleByArrayLiteral {
    /// A part of a file that could not be read.
    public struct Fault: Sendable, Hashable, Codable {
        /// The part, such as `message 3 (line 40)`.
        public var position: String
        /// The reason, as a message for the user.
        public var reason: String

        /// Creates a fault.
        public init(position: String, reason: String) { (self.position, self.reason) = (position, reason) }
    }

    /// The documents, in order: one for most types of files, one for each message of a mailbox.
    public var documents: [Document]
    /// The parts that are in none of the documents, in order.
    public var faults: [Fault]
    /// Whether the reader reached the end of the file. Otherwise, the stored entries that are missing from the
    /// documents may be in the rest, so an ingest keeps them, as it does if there are faults.
    public var isComplete: Bool
    /// The assumptions that the reader made, as messages for the user.
    public var notices: [String] = []

    /// Creates contents.
    public init(_ documents: [Document], faults: [Fault] = [], isComplete: Bool = true) {
        (self.documents, self.faults, self.isComplete) = (documents, faults, isComplete)
    }

    public init(arrayLiteral documents: Document...) { self.init(documents) }
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
