import Foundation
import RoostFiles
import RoostModel

/// Reads data in text formats: JSON and XML as readable text, YAML and TOML without changes.
public struct DataReader: DocumentReader {
    static let json = DocumentType(
        name: "json", title: "JSON", extensions: ["json", "jsonc", "geojson", "jsonld", "webmanifest"],
        mediaTypes: ["application/json", "application/ld+json"])
    static let xml = DocumentType(
        name: "xml", title: "XML", extensions: ["xml"], mediaTypes: ["application/xml", "text/xml"])
    static let yaml = DocumentType(
        name: "yaml", title: "YAML", extensions: ["yaml", "yml"], mediaTypes: ["application/yaml"],
        format: .plain)
    static let toml = DocumentType(
        name: "toml", title: "TOML", extensions: ["toml"], mediaTypes: ["application/toml"], format: .plain)

    public let version = 4

    public let types = [Self.json, Self.xml, Self.yaml, Self.toml]

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        try input.requireReadableSize()
        return try await BlockingWork.run { isCancelled in
            try withoutActuallyEscaping(isCancelled) { isCancelled in
                var document =
                    switch type.name {
                    case Self.json.name: try Self.jsonDocument(input, type)
                    case Self.xml.name: try Self.xmlDocument(input, type, isCancelled)
                    default: try Self.textDocument(input, type)
                    }
                guard document.text.contains(where: { !$0.isWhitespace }) else {
                    throw DocumentError.noText("it contains no text")
                }
                // The first line is not a title, but a key, a bracket or a comment.
                if document.title?.trimmed.isEmpty ?? true { document.title = input.fileStem }
                return [document]
            }
        }
    }

    private static func textDocument(_ input: DocumentInput, _ type: DocumentType) throws -> Document {
        guard let (text, _) = TextDecoder.decode(input.data) else {
            throw DocumentError.unsupported(TextDecoder.failureText)
        }
        let title = type.name == yaml.name ? DataTitle.title(ofYAML: text) : DataTitle.title(ofTOML: text)
        return Document(type: type, title: title, text: text, format: type.format)
    }

    private static func jsonDocument(_ input: DocumentInput, _ type: DocumentType) throws -> Document {
        let value: JSONCursor
        do {
            value = try JSONCursor(
                input.data, maximumDepth: input.limits.maximumDepth, permitsComments: true)
        } catch {
            throw DocumentError.damaged("it is not valid JSON: \(error)")
        }
        var writer = JSONText(limits: input.limits)
        try writer.write(value)
        var document = Document(type: type, title: JSONText.title(of: value), text: writer.output.text)
        if writer.omitted > 0 {
            let limit = JSONText.maximumValueLength >> 20
            document.unreadParts = ["\(Count.text(writer.omitted, "value")) of more than \(limit) MB"]
        }
        return document
    }

    private static func xmlDocument(
        _ input: DocumentInput, _ type: DocumentType, _ isCancelled: @escaping () -> Bool
    ) throws -> Document {
        let writer = XMLText(try XMLPull(xml: input.data, isCancelled: isCancelled), limits: input.limits)
        try writer.convert()
        if writer.isDamaged && writer.output.text.isEmpty {
            throw DocumentError.damaged("it is not valid XML")
        }
        var document = Document(type: type, title: writer.title, text: writer.output.text)
        if writer.isDamaged {
            document.unreadParts.append("it is not well-formed; a part of it may be missing")
        }
        return document
    }
}
