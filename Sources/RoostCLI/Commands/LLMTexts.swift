import ArgumentParser
import Foundation
import Roost
import RoostFiles
import RoostModel

extension LLM {
    struct EmbedOne: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "embed", abstract: "Print the vector of a text, or add the text to a collection.",
            discussion: """
                Examples:
                  roost llm embed -c "a swift above the roof"
                  roost llm embed notes first -i note.txt --metadata '{"year": 2026}'
                """)

        /// The forms of a vector.
        enum Format: String, ExpressibleByArgument, CaseIterable {
            case json, blob, base64, hex
        }

        @OptionGroup var options: LLMOptions

        @Argument(help: ArgumentHelp("The collection to which the text is added.", valueName: "COLLECTION"))
        var collection: String?

        @Argument(help: ArgumentHelp("The id of the text.", valueName: "ID"))
        var id: String?

        @Option(name: .shortAndLong, help: "The text.")
        var content: String?

        @Option(name: .shortAndLong, help: "The file that contains the text; - for standard input.")
        var input: String?

        @Option(
            name: .shortAndLong,
            help: "The model of the printed vector or of a new store. No effect on an existing store.",
            completion: DynamicCompletion.models)
        var model: String?

        @Option(name: .long, help: ArgumentHelp("The metadata of the text.", valueName: "JSON"))
        var metadata: String?

        @Option(name: .shortAndLong, help: "The form of the vector: json, blob, base64 or hex.")
        var format = Format.json

        @Flag(name: .customLong("store"), help: "Has no effect; for compatibility.")
        var storesText = false

        func validate() throws {
            guard (collection == nil) == (id == nil) else {
                throw ValidationError("give both a collection and an id, or neither")
            }
            guard collection != nil || metadata == nil else {
                throw ValidationError("--metadata needs a collection and an id")
            }
        }

        func run() async throws {
            let text = try LLM.text(content: content, input: input)
            guard text.contains(where: { !$0.isWhitespace }) else {
                throw RoostError(.badInput, "cannot embed the text: it is empty")
            }
            guard let collection, let id else { return try await printVector(of: text) }
            var values: [String: MetadataValue] = [:]
            if let metadata {
                guard
                    let object = try? JSONDecoder().decode(
                        [String: MetadataValue].self, from: Data(metadata.utf8))
                else { throw CommandError(.usage, "--metadata must be a JSON object") }
                values = object
            }
            let record = VectorRecord(key: id, text: text, vector: [], metadata: values)
            try await LLM.write([record], to: collection, model: model, try options.storeOptions())
        }

        private func printVector(of text: String) async throws {
            let settings = try UserConfiguration(UserDirectories().configurationFile)
            let embedder = try await EmbedderChoice.open(
                try model ?? settings.value(of: "model") ?? "minilm")
            let vector = try await embedder.checkedEmbeddings([text], as: .document).vectors.row(0)
            let bytes = vector.map(\.bitPattern.littleEndian).withUnsafeBytes { Data($0) }
            switch format {
            case .json: try Terminal.json(vector, Terminal.lineEncoder)
            case .blob: Terminal.write(bytes)
            case .base64: Terminal.write(bytes.base64EncodedString())
            case .hex: Terminal.write(Hexadecimal.text(bytes))
            }
        }
    }

    struct SimilarTexts: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "similar", abstract: "Find the most similar texts of a collection.",
            discussion: """
                Prints one JSON object per text, with its id, cosine similarity, the text and the metadata.

                Examples:
                  roost llm similar notes -c "birds in spring"
                  roost llm similar notes first -n 3 -p
                """)

        @OptionGroup var options: LLMOptions

        @Argument(help: ArgumentHelp("The collection.", valueName: "COLLECTION"))
        var collection: String

        @Argument(help: ArgumentHelp("Compare with the text with this id.", valueName: "ID"))
        var id: String?

        @Option(name: .shortAndLong, help: "Compare with this text.")
        var content: String?

        @Option(name: .shortAndLong, help: "Compare with the text of this file; - for standard input.")
        var input: String?

        @Option(
            name: [.customShort("n", allowingJoined: true), .long], help: "The maximum number of results.")
        var number = 10

        @Flag(name: .shortAndLong, help: "Print plain text.")
        var plain = false

        @Option(name: .long, help: "Show only texts whose id begins with this prefix.")
        var prefix = ""

        private struct Document: Encodable {
            var id: String
            var score: Float
            var content: String
            var metadata: [String: MetadataValue]
        }

        func validate() throws {
            guard number >= 1 else { throw ValidationError("-n must be at least 1, not \(number)") }
            guard [id, content, input].count(where: { $0 != nil }) == 1 else {
                throw ValidationError("give an id, or a text with -c or -i")
            }
        }

        func run() async throws {
            let options = try options.storeOptions()
            let (store, snapshot, filter) = try await LLMOptions.open(collection, options)
            var subject = EntrySearch.Subject.entries([])
            if let id {
                let ids = (filter.sources ?? []).map { EntryID.derived(source: $0, key: id) }
                guard let entry = try await snapshot.entries(ids).first else {
                    throw RoostError(.notFound, "the collection contains no text with the id '\(id)'")
                }
                subject = .entries([entry.id])
            } else {
                subject = .text(try LLM.text(content: content, input: input))
            }
            var search = EntrySearch(
                subject, matching: filter,
                limit: prefix.isEmpty ? number : max(number, snapshot.stamp.entryCount))
            search.mode = .vector
            search.includesAll = true
            let result = try await store.search(search)
            try await store.close()
            options.remark(on: store.embedder)
            let hits = result.hits.filter { ($0.entry.key ?? "").hasPrefix(prefix) }.prefix(number)
            for hit in hits {
                let document = Document(
                    id: hit.entry.key ?? hit.entry.id.text, score: hit.similarity, content: hit.entry.content,
                    metadata: hit.entry.metadata)
                guard plain else {
                    try Terminal.json(document, Terminal.lineEncoder)
                    continue
                }
                Terminal.write("\(Terminal.line(document.id)) (\(Terminal.score(document.score)))")
                for line in document.content.split(whereSeparator: \.isNewline) {
                    Terminal.write("  \(Terminal.safe(String(line)))")
                }
            }
            guard !hits.isEmpty else { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        }
    }
}
