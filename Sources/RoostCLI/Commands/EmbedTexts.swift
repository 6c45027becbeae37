import ArgumentParser
import Foundation
import Roost

struct EmbedTexts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "embed", abstract: "Print the embeddings of texts.",
        discussion: """
            Without TEXT, or with -, Roost reads standard input, one text per line. Prints one JSON object \
            for each text, with its vector and the numbers of embedded and omitted tokens.

            Examples:
              roost model embed a swift above the roof
              roost model embed < lines.txt > vectors.jsonl
              roost model embed --query --model remote:nomic-embed-text "birds in spring"
            """)

    @Argument(help: ArgumentHelp("The text to embed; it needs no quotes.", valueName: "TEXT"))
    var words: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "An installed model, a model folder, lexical, or remote:NAME. Default: the model setting, else "
                + "minilm."))
    var model: String?

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
        let encoder = Terminal.lineEncoder
        for (index, text) in texts.enumerated() {
            let document = Document(
                text: text, embedding: result.vectors.row(index), tokens: result.tokenCounts[index],
                omittedTokens: result.omittedTokens[index])
            try Terminal.json(document, encoder)
        }
    }

    private func texts() throws -> [String] {
        if let text { return [text] }
        let lines = RecordReader.lines(
            try RecordReader.text(StandardInput.readToEnd(), name: "standard input")
        ).map(\.content)
        guard !lines.isEmpty else {
            throw RoostError(.noInput, "cannot embed standard input: it is empty; provide one text per line")
        }
        return lines
    }
}
