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
    /// The format of the text that a reader produces for files of this type. It determines the treatment of a
    /// stored text, for which only the name of its file is known.
    public var format: TextFormat
    /// Whether files of this type are read when a folder is ingested. Files of other types are read only if
    /// their names are given.
    public var isReadInFolders: Bool

    /// Creates a type.
    public init(
        name: String, title: String, extensions: Set<String>, fileNames: Set<String> = [],
        mediaTypes: Set<String> = [], format: TextFormat = .markdown, isReadInFolders: Bool = true
    ) {
        self.name = name
        self.title = title
        self.extensions = extensions
        self.fileNames = fileNames
        self.mediaTypes = mediaTypes
        self.format = format
        self.isReadInFolders = isReadInFolders
    }
}
