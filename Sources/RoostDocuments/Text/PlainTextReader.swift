import Foundation

/// Reads plain text in UTF-8, in UTF-16 with a byte order mark, or in a common older encoding, which is
/// determined from the bytes.
public struct PlainTextReader: DocumentReader {
    /// The type of plain text.
    public static let type = DocumentType(
        name: "text", title: "Plain text", extensions: ["txt", "text", "tex", "latex"], fileNames: ["README"],
        mediaTypes: ["text/plain"], format: .plain)

    public let types = [Self.type]

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        guard let (text, _) = TextDecoder.decode(input.data) else {
            throw DocumentError.unsupported(TextDecoder.failureText)
        }
        return [Document(type: type, text: text, format: .plain)]
    }
}
