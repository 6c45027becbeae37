import Foundation

/// Reads source code. The text is that of the file; its sections are the declarations.
public struct CodeReader: DocumentReader {
    /// The average length of a line, in bytes, above which a file is considered generated.
    private static let maximumLineLength = 500

    public let version = 5

    public let types = CodeLanguage.all.map(\.type)

    /// Creates a reader.
    public init() {}

    public func recognizedType(of input: DocumentInput) -> DocumentType? {
        // A script without an extension names its interpreter in the first line.
        guard input.data.starts(with: "#!".utf8), input.fileExtension.isEmpty else { return nil }
        let line = String(decoding: input.data.prefix(200), as: UTF8.self).prefix { !$0.isNewline }
        let interpreters = [
            "python": "python", "bash": "shell", "zsh": "shell", "/sh": "shell", "ruby": "ruby",
            "perl": "perl",
            "node": "javascript", "lua": "lua", "Rscript": "r", "julia": "julia", "elixir": "elixir",
            "php": "php",
        ]
        let match = interpreters.first { line.contains($0.key) }
        return match.flatMap { CodeLanguage.byName[$0.value]?.type }
    }

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        guard let (text, _) = TextDecoder.decode(input.data) else {
            throw DocumentError.unsupported(TextDecoder.failureText)
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw DocumentError.noText("it contains no text")
        }
        let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
        guard text.utf8.count / lines <= Self.maximumLineLength else {
            throw DocumentError.unsupported(
                "its lines are very long, so it is probably generated or minified")
        }
        return [Document(type: type, title: input.fileName, text: text, format: type.format)]
    }
}
