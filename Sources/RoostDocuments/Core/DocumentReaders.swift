/// The readers that an ingest uses, in order of precedence.
public struct DocumentReaders: Sendable {
    /// The readers. Earlier readers take precedence.
    public var readers: [any DocumentReader]

    /// Creates a list of readers.
    public init(_ readers: [any DocumentReader]) { self.readers = readers }

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

    /// Returns the first reader that recognizes the contents of a document, of which the beginning suffices
    /// for most types; `nil` if none does.
    package func recognized(_ input: DocumentInput) -> Match? {
        for reader in readers {
            if let type = reader.recognizedType(of: input) { return Match(reader: reader, type: type) }
        }
        return nil
    }

    private func first(where condition: (DocumentType) -> Bool) -> Match? {
        for reader in readers {
            if let type = reader.types.first(where: condition) { return Match(reader: reader, type: type) }
        }
        return nil
    }
}
