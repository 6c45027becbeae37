import Foundation
import RoostModel

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
        fileNames: ["Dockerfile", "Gemfile", "Makefile", "Rakefile"], format: .code, isDivisible: true)
    static let data = DocumentType(
        name: "data", title: "JSON, XML, YAML and TOML",
        extensions: ["geojson", "json", "jsonc", "jsonld", "toml", "webmanifest", "xml", "yaml", "yml"],
        mediaTypes: [
            "application/json", "application/ld+json", "application/toml", "application/xml",
            "application/yaml", "text/xml",
        ], format: .code, isDivisible: true)

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

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        try input.requireReadableSize()
        let (text, encodingName) = try input.text()
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw DocumentError.noText("it contains no text")
        }
        let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
        guard type != Self.code || text.utf8.count / lines <= Self.maximumLineLength else {
            throw DocumentError.unsupported(
                "its lines are very long, so it is probably generated or minified")
        }
        return DocumentContents(
            Document(title: input.fileName, text: text, format: type.format), encodingName: encodingName)
    }
}

/// The sections of source code, found without knowledge of its language.
///
/// A section begins after a blank line, with a line in the first column or one level deeper. Its headings are
/// the lines above it with less indentation, and its first line that a line with more indentation follows.
struct CodeStructure {
    private static let maximumHeadingLength = 100

    private struct Line {
        var start: Int
        var indentation: Int
        var text: Substring
        var isBlank: Bool { text.isEmpty }
        /// Whether the line can name what follows it: brackets, comments and operators cannot.
        var isName: Bool {
            text.first.map { $0.isLetter || "_@.(".contains($0) } ?? false && text.contains { $0.isLetter }
        }
    }

    private(set) var sections: [TextStructure.Section] = []
    /// The lines that contain the current one, the outermost first.
    private var path: [Line] = []

    init(_ text: String) {
        // An ingest divides larger texts.
        let lines = text.utf8.count > MarkdownAnalysis.maximumLength ? [] : Self.lines(of: text)
        var starts: [(headings: [String], offset: Int)] = []
        var index = 0
        while index < lines.count {
            let first = index
            while index < lines.count, !lines[index].isBlank { index += 1 }
            if first < index {
                let next = lines[index...].first { !$0.isBlank }
                if let headings = section(of: lines[first..<index], followedBy: next) {
                    starts.append((headings, lines[first].start))
                }
            } else {
                index += 1
            }
        }
        let length = text.utf8.count
        if starts.first?.offset != 0 { starts.insert(([], 0), at: 0) }
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1].offset : length
            sections.append(.init(headings: start.headings, range: start.offset..<end))
        }
    }

    /// Reads lines without a blank one between them and returns the headings of the section that they begin;
    /// `nil` if they belong to the section before.
    private mutating func section(of lines: ArraySlice<Line>, followedBy next: Line?) -> [String]? {
        guard let first = lines.first else { return nil }
        path.removeAll { $0.indentation >= first.indentation }
        let outer = path
        var name: Line?
        var opens = false
        for (index, line) in zip(lines.indices, lines) {
            let following = index + 1 < lines.endIndex ? lines[index + 1] : next
            guard let following, following.indentation > line.indentation else { continue }
            opens = opens || line.indentation == first.indentation
            guard line.isName else { continue }
            if name == nil, line.indentation == first.indentation { name = line }
            path.removeAll { $0.indentation >= line.indentation }
            path.append(line)
        }
        // A closing bracket alone begins nothing.
        guard lines.contains(where: { $0.text.contains(where: \.isLetter) }),
            first.indentation == 0 || outer.count == 1 && opens
        else { return nil }
        return (outer + (name.map { [$0] } ?? [])).map(Self.heading)
    }

    private static func heading(_ line: Line) -> String {
        var text = line.text
        while let last = text.last, last == "{" || last == ":" || last.isWhitespace { text.removeLast() }
        return HeadingText.prefix(of: String(text), maximumLength: maximumHeadingLength)
    }

    private static func lines(of text: String) -> [Line] {
        var lines: [Line] = []
        var offset = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let indentation = line.prefix { $0 == " " || $0 == "\t" }
            var content = line[indentation.endIndex...]
            while content.last?.isWhitespace == true { content.removeLast() }
            let width = indentation.reduce(0) { $0 + ($1 == "\t" ? 4 : 1) }
            lines.append(Line(start: offset, indentation: width, text: content))
            offset += line.utf8.count + 1
        }
        return lines
    }
}

/// Reads plain text in UTF-8, in UTF-16 with a byte order mark, or in a common older encoding, which is
/// determined from the bytes.
public struct PlainTextReader: DocumentReader {
    /// The type of plain text.
    public static let type = DocumentType(
        name: "text", title: "Plain text", extensions: ["txt", "text", "tex", "latex"], fileNames: ["README"],
        mediaTypes: ["text/plain"],
        format: .plain, isDivisible: true)

    public let types = [Self.type]

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        let (text, encodingName) = try input.text()
        return DocumentContents(Document(text: text, format: .plain), encodingName: encodingName)
    }
}
