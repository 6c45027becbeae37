import ArgumentParser
import Foundation
import Roost

struct Embed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the vectors of texts.",
        discussion: """
            Without TEXT, or with -, standard input is read: one text a line. json and jsonl have the \
            text, its vector, how many tokens it was embedded from and how many were left out; npy is one \
            array (texts, dimensions) of little-endian Float32 for NumPy.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case json, jsonl, npy
    }

    @Argument(help: ArgumentHelp("The text.", valueName: "TEXT"))
    var text: String?

    @Option(
        name: .long,
        help: "An installed model, a folder with one, lexical, or remote:NAME; else MiniLM or your setting.")
    var model: String?

    @Option(name: .long, help: "json, jsonl or npy.")
    var format = Format.json

    @Flag(name: .long, help: "As questions, not documents: some models are trained to tell them apart.")
    var query = false

    private struct Document: Encodable {
        var text: String
        var embedding: [Float]
        var tokens: Int
        var omittedTokens: Int
    }

    func run() async throws {
        let texts = try texts()
        let settings = try UserConfiguration(UserPlaces().configurationFile)
        let embedder = try await EmbedderChoice.open(
            try model ?? settings.value(of: "model") ?? "minilm")
        let result = try await embedder.embed(texts, as: query ? .query : .document)
        let omitted = result.omittedTokens.filter { $0 > 0 }.count
        if omitted > 0 {
            Terminal.error(
                "\(omitted) \(omitted == 1 ? "text is" : "texts are") longer than the model takes in; "
                    + "the rest of "
                    + "\(omitted == 1 ? "it was" : "them was") left out")
        }
        for text in EmbedderChoice.remarks(on: embedder).notes { Terminal.error(text) }
        switch format {
        case .npy: Terminal.write(Self.npy(result.vectors))
        case .json:
            let documents = documents(texts, result)
            if text != nil, text != "-" {
                try Terminal.json(documents[0])
            } else {
                try Terminal.json(documents)
            }
        case .jsonl:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            for document in documents(texts, result) {
                Terminal.write(try encoder.encode(document) + Data("\n".utf8))
            }
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
        if let text, text != "-" { return [text] }
        guard let input = String(data: try StandardInput.readToEnd(), encoding: .utf8) else {
            throw RoostError(.badInput, "standard input is not UTF-8")
        }
        // By bytes: to Swift a carriage return and the line feed after it are one character.
        var lines = input.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard !lines.isEmpty else {
            throw RoostError(.noInput, "standard input is empty; give a text a line")
        }
        return lines.map { String(Substring($0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0)) }
    }

    /// The NPY format, version 1.0 (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
    static func npy(_ matrix: Matrix) -> Data {
        var header =
            "{'descr': '<f4', 'fortran_order': False, 'shape': (\(matrix.rows), \(matrix.columns)), }"
        // The numbers begin at a multiple of 64 bytes; the header ends with a line feed.
        while (10 + header.utf8.count + 1) % 64 != 0 { header += " " }
        header += "\n"
        var data = Data([0x93]) + Data("NUMPY".utf8) + Data([1, 0])
        withUnsafeBytes(of: UInt16(header.utf8.count).littleEndian) { data += Data($0) }
        data += Data(header.utf8)
        matrix.elements.map(\.bitPattern.littleEndian).withUnsafeBytes { data += $0 }
        return data
    }
}
