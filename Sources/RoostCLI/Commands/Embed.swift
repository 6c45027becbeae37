import ArgumentParser
import Foundation
import Roost

struct Embed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "embed", abstract: "Print the embeddings of texts.",
        discussion: """
            Without TEXT, or with -, Roost reads standard input, one text per line. The formats json and \
            jsonl contain each text, its vector, and the numbers of embedded and omitted tokens. The \
            format npy is a NumPy array of shape (texts, dimension) with little-endian Float32 numbers.

            Examples:
              roost embed a swift above the roof
              roost embed --format npy < lines.txt > vectors.npy
              roost embed --query --model remote:nomic-embed-text "birds in spring"
            """)

    enum Format: String, JSONFormat {
        case json, jsonl, npy

        static var help: String { "json (the default), jsonl (one object per line), or npy." }
    }

    @Argument(help: ArgumentHelp("The text to embed; it needs no quotes.", valueName: "TEXT"))
    var words: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "An installed model, a model folder, lexical, or remote:NAME. Default: the model setting, else "
                + "minilm."), completion: DynamicCompletion.models)
    var model: String?

    @OptionGroup var formats: JSONFormatOptions<Format>

    @Flag(name: .long, help: "Embed the texts as queries; some models use a separate prefix for them.")
    var query = false

    private struct Document: Encodable {
        var text: String
        var embedding: [Float]
        var tokens: Int
        var omittedTokens: Int
    }

    /// The text on the command line; `nil` if the texts are on standard input.
    private var text: String? { words.isEmpty || words == ["-"] ? nil : words.joined(separator: " ") }

    private var format: Format { formats.format() }

    func validate() throws { try formats.check() }

    func run() async throws {
        let texts = try texts()
        let settings = try UserConfiguration(UserDirectories().configurationFile)
        let embedder = try await EmbedderChoice.open(
            try model ?? settings.value(of: "model") ?? "minilm")
        let result = try await embedder.checkedEmbeddings(texts, as: query ? .query : .document)
        let omitted = result.omittedTokens.filter { $0 > 0 }.count
        if omitted > 0 {
            Terminal.error("truncated \(Count.text(omitted, "text")) to the model's maximum length")
        }
        for text in EmbedderChoice.remarks(on: embedder).notes { Terminal.error(text) }
        switch format {
        case .npy:
            let vectors = result.vectors
            Terminal.write(
                NumPyFormat.header(rows: vectors.rows, columns: vectors.columns)
                    + NumPyFormat.bytes(of: vectors.elements))
        case .json:
            let documents = documents(texts, result)
            if text != nil {
                try Terminal.json(documents[0])
            } else {
                try Terminal.json(documents)
            }
        case .jsonl:
            let encoder = Terminal.lineEncoder
            for document in documents(texts, result) { try Terminal.json(document, encoder) }
        }
    }

    private func documents(_ texts: [String], _ result: Embeddings) -> [Document] {
        texts.indices.map {
            Document(
                text: texts[$0], embedding: result.vectors.row($0), tokens: result.tokenCounts[$0],
                omittedTokens: result.omittedTokens[$0])
        }
    }

    private func texts() throws -> [String] {
        if let text { return [text] }
        guard let input = String(data: try StandardInput.readToEnd(), encoding: .utf8) else {
            throw RoostError(.badInput, "cannot embed standard input: it is not UTF-8 text")
        }
        // The input is split as bytes because Swift treats a carriage return followed by a line feed as one
        // character.
        var lines = input.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard !lines.isEmpty else {
            throw RoostError(.noInput, "cannot embed standard input: it is empty; provide one text per line")
        }
        return lines.map { String(Substring($0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0)) }
    }
}
