public import RoostModel

/// Reads documents of one or several types.
///
/// A reader gets the bytes of a file and returns the text that is stored, embedded and searched, together
/// with the title, dates, tags, links and other metadata. Conform to this protocol to support further
/// types, and pass the reader to ``DocumentReaders/init(_:)``.
///
/// A reader must accept any bytes: for damaged, encrypted or hostile input it throws a ``DocumentError``, and
/// its memory and time are bounded by ``DocumentInput/limits``. It opens no file other than temporary files,
/// connects to no server, and executes nothing that the document contains.
public protocol DocumentReader: Sendable {
    /// The types that the reader supports. The first type is the default for documents that the reader
    /// recognizes by their contents.
    var types: [DocumentType] { get }

    /// The version of the reader's output, by default 1. If it is higher than the version with which a file
    /// was read, the next ingest reads the file again.
    var version: Int { get }

    /// Returns the type of a document if its contents show that the reader supports it; otherwise `nil`.
    ///
    /// The registry calls this method before it considers the file's name. Readers of formats without a
    /// signature, such as plain text, use the default implementation, which returns `nil`.
    /// - Complexity: O(1): reads only the beginning of the input, or a table at its end.
    func recognizedType(of input: DocumentInput) -> DocumentType?

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - input: The bytes and the name of the document.
    ///   - type: The type as which to read the document, one of ``types``.
    /// - Returns: The documents, and the faults of the others: a document that cannot be read does not end the rest.
    ///   The parts of a document that cannot be read are in ``Document/unreadParts``.
    /// - Throws: ``DocumentError`` if nothing can be read; `CancellationError`.
    func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents
}

extension DocumentReader {
    public var version: Int { 1 }

    public func recognizedType(of input: DocumentInput) -> DocumentType? { nil }
}

/// A type of document, such as Markdown or PDF.
public struct DocumentType: Sendable, Hashable {
    /// The short name, in lowercase letters and digits, such as `markdown`. It is stored with each source.
    public var name: String
    /// The name for people, such as `Markdown`.
    public var title: String
    /// The extensions of files of this type, in lowercase letters and without the full stop.
    public var extensions: Set<String>
    /// The complete names of files of this type that have no extension, such as `Makefile`.
    public var fileNames: Set<String>
    /// The media types (RFC 6838), in lowercase letters and without parameters.
    public var mediaTypes: Set<String>
    /// The format of the text that a reader produces for files of this type.
    public var format: TextFormat
    /// Whether files of this type are texts, without zero bytes, that a reader can also read in parts: a large file
    /// becomes several entries.
    public var isDivisible: Bool
    /// Whether files of this type are read when a folder is ingested. Files of other types are read only if
    /// their names are given.
    public var isReadInFolders: Bool

    /// Creates a type.
    public init(
        name: String, title: String, extensions: Set<String>, fileNames: Set<String> = [],
        mediaTypes: Set<String> = [], format: TextFormat = .markdown, isDivisible: Bool = false,
        isReadInFolders: Bool = true
    ) {
        self.name = name
        self.title = title
        self.extensions = extensions
        self.fileNames = fileNames
        self.mediaTypes = mediaTypes
        self.format = format
        self.isDivisible = isDivisible
        self.isReadInFolders = isReadInFolders
    }
}

/// The readers that an ingest uses, in order of precedence.
public struct DocumentReaders: Sendable {
    /// The readers. Earlier readers take precedence.
    public var readers: [any DocumentReader]
    /// The process in which the standard readers run; `nil` for the present one.
    public var worker: ReaderWorker?

    /// Creates a list of readers.
    public init(_ readers: [any DocumentReader], worker: ReaderWorker? = nil) {
        (self.readers, self.worker) = (readers, worker)
    }

    /// A reader, and the type as which it reads a document.
    public struct Match: Sendable {
        /// The reader.
        public var reader: any DocumentReader
        /// The type.
        public var type: DocumentType

        /// Creates a match.
        public init(reader: any DocumentReader, type: DocumentType) {
            self.reader = reader
            self.type = type
        }
    }

    /// Returns the reader of a document: one that recognizes its contents or, if none does, one that supports
    /// its media type, its name or its extension; `nil` if no reader does.
    public func match(_ input: DocumentInput) -> Match? {
        // The user's choice of a converter takes precedence.
        if let match = first(where: { $0.extensions.contains(input.fileExtension) }),
            match.reader is ConverterReader
        {
            return match
        }
        if let match = recognized(input) { return match }
        let (name, fileExtension) = (input.fileName, input.fileExtension)
        return first { type in input.mediaType.map(type.mediaTypes.contains) ?? false }
            ?? first { $0.fileNames.contains(name) }
            ?? first { !fileExtension.isEmpty && $0.extensions.contains(fileExtension) }
    }

    /// Reads a document: in the process of the worker if it has the reader, and otherwise in this process.
    ///
    /// - Throws: ``DocumentError``, `CancellationError`, and errors of other readers.
    public func read(_ input: DocumentInput, with match: Match) async throws -> DocumentContents {
        let isIsolated = Self.isolated.readers.contains { Swift.type(of: $0) == Swift.type(of: match.reader) }
        guard isIsolated, let worker else { return try await match.reader.read(input, as: match.type) }
        return try await worker.read(input, as: match.type)
    }

    /// Returns the first reader that recognizes the contents of a document, of which the beginning suffices
    /// for most types; `nil` if none does.
    package func recognized(_ input: DocumentInput) -> Match? {
        for reader in readers {
            if let type = reader.recognizedType(of: input) { return Match(reader: reader, type: type) }
        }
        return nil
    }

    /// Returns the reader of a type; `nil` if no reader supports it.
    func match(type name: String) -> Match? { first { $0.name == name } }

    private func first(where condition: (DocumentType) -> Bool) -> Match? {
        for reader in readers {
            if let type = reader.types.first(where: condition) { return Match(reader: reader, type: type) }
        }
        return nil
    }
}
