import Foundation

/// Reads source code, and data in text formats such as JSON and YAML. The text is that of the file.
public struct CodeReader: DocumentReader {
    static let code = DocumentType(
        name: "code", title: "Source code",
        extensions: [
            "asd", "bash", "c", "cc", "cjs", "clj", "cljc", "cljs", "cpp", "cs", "css", "cts", "cu", "cxx",
            "edn", "el", "erl", "ex", "exs", "gemspec", "go", "h", "hh", "hpp", "hrl", "hs", "hxx", "ino",
            "java", "jl", "js", "jsx", "ksh", "kt", "kts", "less", "lisp", "lsp", "lua", "m", "mjs", "ml",
            "mli", "mm", "mts", "php", "pl", "pm", "py", "pyi", "pyw", "r", "rake", "rb", "rkt", "rs", "sc",
            "scala", "scm", "scss", "sh", "sld", "sql", "ss", "svelte", "swift", "ts", "tsx", "vue", "zig",
            "zsh",
        ],
        fileNames: ["Dockerfile", "Gemfile", "Makefile", "Rakefile"], format: .code)
    static let data = DocumentType(
        name: "data", title: "JSON, XML, YAML and TOML",
        extensions: ["geojson", "json", "jsonc", "jsonld", "toml", "webmanifest", "xml", "yaml", "yml"],
        mediaTypes: [
            "application/json", "application/ld+json", "application/toml", "application/xml",
            "application/yaml", "text/xml",
        ], format: .code)

    /// The average length of a line, in bytes, above which source code is considered generated.
    private static let maximumLineLength = 500

    public let version = 6

    public let types = [Self.code, Self.data]

    /// Creates a reader.
    public init() {}

    public func recognizedType(of input: DocumentInput) -> DocumentType? {
        // A script without an extension names its interpreter in the first line.
        input.fileExtension.isEmpty && input.data.starts(with: "#!".utf8) ? Self.code : nil
    }

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        try input.requireReadableSize()
        guard let (text, _) = TextDecoder.decode(input.data) else {
            throw DocumentError.unsupported(TextDecoder.failureText)
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw DocumentError.noText("it contains no text")
        }
        let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
        guard type != Self.code || text.utf8.count / lines <= Self.maximumLineLength else {
            throw DocumentError.unsupported(
                "its lines are very long, so it is probably generated or minified")
        }
        return [Document(type: type, title: input.fileName, text: text, format: type.format)]
    }
}
