package import RoostDocuments
package import RoostModel

extension TextFormat {
    /// The formats of the supported types, by the extensions and by the names of their files.
    private static let formats: (extensions: [String: TextFormat], names: [String: TextFormat]) = {
        var (extensions, names) = ([String: TextFormat](), [String: TextFormat]())
        for type in DocumentReaders.standard.types {
            // Earlier types take precedence.
            for name in type.extensions where extensions[name] == nil { extensions[name] = type.format }
            for name in type.fileNames where names[name] == nil { names[name] = type.format }
        }
        for name in RecordReader.rowExtensions { extensions[name] = .plain }
        return (extensions, names)
    }()

    /// Returns the format of a text that was read from a file, by the name of the file.
    ///
    /// A row of a table has no markup, and a file of an unknown type was read as plain text.
    init(ofFile path: String) {
        let name = path.split(separator: "/").last ?? ""
        let fileExtension = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
        self =
            Self.formats.names[String(name)] ?? fileExtension.flatMap { Self.formats.extensions[$0] }
            ?? .plain
    }

    var name: String {
        switch self {
        case .plain: "plain"
        case .markdown: "markdown"
        case .mail: "mail"
        case .code: "code"
        }
    }

    /// Creates the format with a ``name``; `nil` if the name is not valid.
    init?(name: String) {
        switch name {
        case "plain": self = .plain
        case "markdown": self = .markdown
        case "mail": self = .mail
        case "code": self = .code
        default: return nil
        }
    }
}

extension Entry {
    /// The format of the text. It determines the parts that are embedded and indexed.
    ///
    /// A text that did not come from a file, such as a message, is treated as Markdown.
    package var textFormat: TextFormat {
        if let name = metadata[DocumentKey.format]?.string, let format = TextFormat(name: name) {
            return format
        }
        return sourcePath.map { TextFormat(ofFile: $0) } ?? .markdown
    }

    package var textFormatName: String { textFormat.name }

    /// The parts of the document that could not be read, as messages.
    package var unreadParts: [String] { metadata[DocumentKey.unreadParts]?.comparableTexts ?? [] }
}
