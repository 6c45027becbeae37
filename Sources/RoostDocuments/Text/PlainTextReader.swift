import Foundation

/// Reads plain text in UTF-8, UTF-16 with a byte order mark, or windows-1252.
public struct PlainTextReader: DocumentReader {
    /// The type of plain text.
    public static let type = DocumentType(
        name: "text", title: "Plain text", extensions: ["txt", "text"], mediaTypes: ["text/plain"],
        format: .plain)

    public let types = [Self.type]

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        guard let (text, _) = TextDecoder.decode(input.data) else {
            throw DocumentError.unsupported(
                "it is not text in UTF-8, UTF-16 or windows-1252; convert it first, for example with iconv")
        }
        return [Document(type: type, text: text, format: .plain)]
    }
}
