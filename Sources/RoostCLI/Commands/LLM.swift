import ArgumentParser
import Foundation
import Roost
import RoostModel

/// Commands with the names and options of the program `llm`.
struct LLM: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "llm", abstract: "Use a store with the commands of the program llm.",
        discussion: """
            The options have the names and meanings of llm's, except that -d names the folder of a store. \
            The flag --store has no effect, because a store always contains the texts. A collection is a \
            source of entries, which all other commands find too. `roost llm embed`, `roost llm embed-multi` \
            and `roost import` create collections.

            Examples:
              roost llm embed-multi notes notes.csv
              roost llm embed-multi docs --files docs '**/*.md' --prefix docs/
              roost llm similar notes -c "birds in spring" -n 3
            """,
        subcommands: [
            EmbedOne.self, EmbedMulti.self, SimilarTexts.self, ClusterTexts.self, Collections.self,
        ])

    /// Writes texts to a collection, and prints their number.
    static func write(
        _ records: [VectorRecord], to collection: String, model: String?, _ options: StoreOptions
    ) async throws {
        let store: KnowledgeStore
        if try options.hasStore() {
            store = try await options.open()
            if let model, model != store.embedder.space.model {
                options.note("the store embeds texts with \(store.embedder.space.model); -m has no effect")
            }
        } else {
            store = try await options.create(try options.location(), provider: nil, model: model)
        }
        let archive = VectorArchive(records, source: LLMOptions.source(of: collection))
        let report = try await options.runImport(into: store, unit: "texts") { progress in
            try await store.importVectors(archive, ignoringVectors: true, progress: progress)
        }
        options.remark(on: store.embedder)
        let counts = report.entries
        options.note("\(counts.new) new, \(counts.updated) updated, \(counts.unchanged) unchanged")
    }

    /// Returns the text that the options -c and -i, or standard input, contain.
    static func text(content: String?, input: String?) throws -> String {
        if let content { return content }
        let name = input ?? "-"
        return try RecordReader.text(InputFile.read(name), name: name == "-" ? "standard input" : name)
    }
}

extension LLM {
    struct EmbedMulti: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "embed-multi", abstract: "Add many texts to a collection.",
            discussion: """
                The first column of a CSV or TSV file, or the key "id" of a JSON object, is the id of a \
                text; the other values are the text. With --files, the ids are paths relative to the folder.

                Examples:
                  roost llm embed-multi notes notes.csv
                  roost llm embed-multi docs --files docs '**/*.md'
                """)

        @OptionGroup var options: LLMOptions

        @Argument(help: ArgumentHelp("The collection.", valueName: "COLLECTION"))
        var collection: String

        @Argument(
            help: ArgumentHelp("CSV, TSV, JSON or JSON Lines; - for standard input.", valueName: "FILE"),
            completion: .file())
        var file: String?

        @Option(name: .long, help: "The form of the file: json, csv, tsv or nl. Default: detected.")
        var format: LLMRows.Format?

        @Option(
            name: .long, parsing: .upToNextOption,
            help: ArgumentHelp(
                "Add the files in DIR that match PATTERN. Several pairs can follow.",
                valueName: "DIR PATTERN"))
        var files: [String] = []

        @Option(name: .long, help: "Put this text before each id.")
        var prefix = ""

        @Option(name: .long, help: "Put this text before each text.")
        var prepend = ""

        @Option(name: .shortAndLong, help: "The model of a new store.", completion: DynamicCompletion.models)
        var model: String?

        @Flag(name: .customLong("store"), help: "Has no effect; for compatibility.")
        var storesText = false

        @Option(name: .long, help: "Has no effect; for compatibility.")
        var batchSize: Int?

        func validate() throws {
            guard (file == nil) != files.isEmpty else {
                throw ValidationError("give either a file or --files DIR PATTERN")
            }
            guard files.count.isMultiple(of: 2) else {
                throw ValidationError("--files needs a folder and a pattern")
            }
        }

        func run() async throws {
            var records: [VectorRecord] = []
            if let file {
                let name = file == "-" ? "standard input" : file
                records = try LLMRows(InputFile.read(file), name: name).records(format)
            }
            for index in stride(from: 0, to: files.count, by: 2) {
                records += try Self.records(in: files[index], matching: files[index + 1])
            }
            guard !records.isEmpty else { throw RoostError(.noInput, "found no texts to add") }
            for index in records.indices {
                records[index].key = prefix + records[index].key
                records[index].text = prepend + records[index].text
            }
            // As in llm, the last of several texts with the same id counts.
            let last = Dictionary(records.enumerated().map { ($1.key, $0) }) { _, last in last }
            records = records.enumerated().filter { last[$1.key] == $0 }.map(\.element)
            try await LLM.write(records, to: collection, model: model, try options.storeOptions())
        }

        /// Returns the files of a folder, with their relative paths as ids.
        private static func records(in folder: String, matching pattern: String) throws -> [VectorRecord] {
            let base = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
            let found = try FileFinder(globs: [pattern]).find(URL(fileURLWithPath: folder)).files
            return try found.compactMap { url in
                let text = try RecordReader.text(InputFile.read(url.path), name: url.path)
                let path = url.resolvingSymlinksInPath().path
                let key = path.hasPrefix(base + "/") ? String(path.dropFirst(base.count + 1)) : path
                return text.allSatisfy(\.isWhitespace)
                    ? nil : VectorRecord(key: key, text: text, vector: [])
            }
        }
    }

    struct Collections: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "collections", abstract: "List the collections.",
            discussion: """
                Examples:
                  roost llm collections
                  roost llm collections --format json
                """)

        @OptionGroup var options: LLMOptions
        @OptionGroup var output: RowOutputOptions

        @Argument(help: ArgumentHelp("The word list, as in llm; it can be omitted.", valueName: "list"))
        var words: [String] = []

        private struct Document: Encodable {
            var name: String
            var model: String
            var source: String
            var entries: Int
        }

        func validate() throws {
            guard let word = words.first, words != ["list"] else { return }
            let advice =
                ["delete", "remove", "rm"].contains(word)
                ? "remove a collection with `roost remove --source SOURCE`, with the source that "
                    + "`roost llm collections` prints"
                : "run `roost llm collections` to list the collections"
            throw ValidationError("unexpected argument '\(Terminal.line(word, limit: 40))'; \(advice)")
        }

        func run() async throws {
            let options = try options.storeOptions()
            let store = try await options.open(recordingUndo: false)
            let sizes = try await LLMOptions.collectionSizes(store.storage.snapshot())
            try await store.close()
            let columns = [
                TableColumn(name: "entries", isNumber: true), TableColumn(name: "name", style: .bold),
                TableColumn(name: "source", style: .dim, isFlexible: true, keepsEnd: true),
            ]
            var writer = ListWriter(output, columns)
            try writer.write(
                sizes.sorted { $0.key < $1.key }.map { source, count in
                    let name = LLMOptions.collection(of: source) ?? ""
                    return ListRow(
                        cells: ["\(count)", Terminal.line(name), Terminal.line(source, limit: .max)],
                        document: Document(
                            name: name, model: store.embedder.space.model, source: source, entries: count))
                })
            writer.finish(options)
            if sizes.isEmpty { options.note("the store has no collections") }
        }
    }
}

extension LLMRows.Format: ExpressibleByArgument {}
