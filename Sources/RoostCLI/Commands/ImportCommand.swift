import ArgumentParser
import Foundation
import Roost
import RoostMemory

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import exported entries.",
        discussion: """
            Reads these files:

              entries.json, JSON Lines  The output of `roost export entries`, or of a JSON store.
              CSV, TSV                  The output of `roost export entries`.
              NumPy (.npy)              A matrix of vectors, with their texts in a file of the same name: \
            .csv, .tsv or .jsonl with a text per row, or .txt with a text per line.
              embeddings.db             The database of the program llm, one source per collection.
              chroma.sqlite3            A folder of Chroma 1.x, or the database in it, one source per \
            collection.
              JSON Lines, CSV, TSV      Rows with a text (text, content or document), a vector (embedding or \
            vector) and optionally an id, tags and dates. `roost ingest` reads rows \
            without vectors.
              JSON                      An array of such rows, an object with such an array, or the lists of \
            collection.get() of Chroma (documents, embeddings, ids, metadatas).
              memory.jsonl              The file of the reference memory server of the Model Context \
            Protocol: each entity becomes an entry, with its relations as links.

            Vectors are imported if they belong to the store's embedding space; otherwise, Roost embeds the \
            texts. For the vectors of other programs, Roost embeds a sample of the texts and compares the \
            vectors. Importing the same file again changes nothing.

            Examples:
              roost import entries.json
              roost import ~/.config/io.datasette.llm/embeddings.db
              roost import ./chroma
              roost import vectors.csv --ignore-vectors
              zstdcat entries.jsonl.zst | roost import -
            """)

    @OptionGroup var options: StoreOptions

    @Argument(
        help: ArgumentHelp("A file, a folder of Chroma, or - for standard input.", valueName: "FILE"),
        completion: .file())
    var file: String

    @Flag(name: .long, help: "Embed all texts, instead of importing their vectors.")
    var ignoreVectors = false

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        let url = URL(fileURLWithPath: file)
        if file != "-", let archive = try VectorArchive(chroma: url, ignoringVectors: ignoreVectors) {
            return try await importVectors(archive)
        }
        if FileManager.default.fileExists(atPath: file + "/chroma.sqlite3") {
            throw CommandError(
                .badData,
                "cannot import \(Terminal.line(file, limit: 200)): its chroma.sqlite3 is damaged, or not "
                    + "from Chroma 1.x")
        }
        if SessionImport.isDatabase(file) {
            guard let archive = try VectorArchive(database: url) else {
                throw RoostError(
                    .badInput,
                    "cannot import \(Terminal.line(file)): it is not a database of llm or Chroma; "
                        + "`roost chat import` reads sessions")
            }
            return try await importVectors(archive)
        }
        // Such files are read in pieces, because they can be larger than the memory.
        if file != "-",
            let archive = try await checking({
                try EntryArchive(contentsOf: url, name: file, progress: $0)
            })
        {
            return try await importEntries { store, progress in
                try await store.importEntries(
                    archive, name: file, ignoringVectors: ignoreVectors, progress: progress)
            }
        }
        var data = try InputFile.read(file)
        var name = file == "-" ? "standard input" : file
        try Self.checkType(of: data, name)
        let path = file == "-" ? "stdin" : URL(fileURLWithPath: file).standardizedFileURL.path
        if NumPyMatrix.isPresent(in: data) {
            let vectors = data
            (data, name) = try texts()
            if ExportedTable(data, name: name) != nil {
                return try await importEntries(data, name, vectors: vectors)
            }
            return try await importVectors(
                VectorArchive(
                    vectors: vectors, vectorsName: file, texts: data, name: name, source: "vectors:" + path))
        }
        if ExportedTable(data, name: name) != nil { return try await importEntries(data, name) }
        let archive = try await checking { [data, name] in
            try VectorArchive(data, name: name, source: "vectors:" + path, progress: $0)
        }
        if let archive { return try await importVectors(archive) }
        if MemoryGraph.isPresent(in: data) { return try await importMemory(data, name) }
        do {
            try await importEntries(data, name)
        } catch let error as RoostError where error.code == .badInput {
            throw rowError(in: data, name) ?? error
        }
    }

    /// Runs the reading of the file with a display of its progress.
    private func checking<Value>(
        _ work: (_ progress: @escaping (_ fraction: Double) -> Void) throws -> Value
    ) async throws -> Value {
        let progress = Progress(isQuiet: options.quiet)
        let step = "checking \(file == "-" ? "standard input" : Terminal.line(file, limit: 60))"
        return try await progress.during(step) {
            try work { progress.update(step, fraction: $0) }
        }
    }

    /// Returns the error for rows that are not in UTF-8, that have no vectors, or whose names are unknown;
    /// `nil` for other files.
    private func rowError(in data: Data, _ name: String) -> CommandError? {
        let message = "cannot import \(Terminal.line(name, limit: 200)): "
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
            return CommandError(
                .badData,
                message
                    + "its encoding is UTF-16; convert it, for example with `iconv -f UTF-16 -t UTF-8 FILE`"
            )
        }
        if let areInDocument = VectorArchive.rowsWithoutVectors(in: data, name: name) {
            let path = file == "-" ? "FILE" : Terminal.line(file, limit: 200)
            return CommandError(
                .badData,
                message + "the rows have no vectors; "
                    + (areInDocument
                        ? "write them as JSON Lines, for example with jq, and use `roost ingest`"
                        : "use `roost ingest \(path)`"))
        }
        if let chats = try? TranscriptReader().read(data, name: name), !chats.transcripts.isEmpty {
            let path = file == "-" ? "-" : Terminal.line(file, limit: 200)
            return CommandError(
                .badData, message + "it contains conversations; use `roost chat import \(path)`")
        }
        guard
            ["csv", "tsv"].contains((name as NSString).pathExtension.lowercased())
                || VectorArchive.hasRowsWithoutText(data, name: name)
        else {
            if VectorArchive.isOtherObject(data) {
                return CommandError(
                    .badData,
                    message + "it is a JSON object that has neither the array `entries` nor an array of rows "
                        + "with texts and vectors; nothing was imported")
            }
            let first = data.first { !$0.isJSONSpace }
            guard file != "-", let first, ![UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first) else {
                return nil
            }
            return CommandError(
                .badData,
                message + "it is not one of the files that `roost help import` lists; `roost ingest "
                    + "\(Terminal.line(file, limit: 200))` reads documents")
        }
        return CommandError(
            .badData,
            message + "its first row has neither the columns of exported entries, nor a text (text, content "
                + "or document) and a vector (embedding or vector); nothing was imported")
    }

    /// The first bytes of files in unsupported forms, with the reasons and the next steps.
    private static let unsupportedForms: [(start: [UInt8], advice: String)] = [
        (
            Array("PAR1".utf8),
            "Parquet is not supported; convert it to JSON Lines, for example with pandas: "
                + "read_parquet(FILE).to_json(OUTPUT, orient=\"records\", lines=True)"
        ),
        ([0x1F, 0x8B], "it is compressed; run `gunzip -c FILE | roost import -`"),
        ([0x28, 0xB5, 0x2F, 0xFD], "it is compressed; run `zstdcat FILE | roost import -`"),
        (
            [0x50, 0x4B, 0x03, 0x04],
            "it is a ZIP archive or an Office document; unpack it, or save the table as CSV"
        ),
    ]

    /// Throws an error that names the form in which a file of an unsupported type can be imported.
    private static func checkType(of data: Data, _ name: String) throws {
        guard let form = unsupportedForms.first(where: { data.starts(with: $0.start) }) else { return }
        throw CommandError(
            .badData, "cannot import \(Terminal.line(name, limit: 200)): \(form.advice)")
    }

    /// The extensions of the file with the texts of a NumPy file, in the order in which they are tried.
    private static let textExtensions = ["csv", "tsv", "jsonl", "txt"]

    /// Returns the file with the texts of a NumPy file, and its name.
    private func texts() throws -> (Data, String) {
        guard file != "-" else {
            throw CommandError(
                .usage, "standard input contains only vectors; import the file that has their texts")
        }
        let stem = (file as NSString).deletingPathExtension
        let paths = Self.textExtensions.map { "\(stem).\($0)" }
        guard let path = paths.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
            throw CommandError(
                .noInput,
                "cannot import \(Terminal.line(file, limit: 200)): it contains only vectors, and the file "
                    + "with their texts, \(Terminal.line(paths[0], limit: 200)), does not exist (.tsv, "
                    + ".jsonl and .txt are possible too)")
        }
        return (try InputFile.read(path), path)
    }

    /// Imports exported entries.
    ///
    /// - Parameter vectors: The NumPy file with the vectors of a table.
    private func importEntries(_ data: Data, _ name: String, vectors: Data? = nil) async throws {
        // The file is checked first, so that no store is created if the file is unreadable.
        if try !options.hasStore() {
            try KnowledgeStore.checkImport(data, name: name, vectors: vectors, vectorsName: file)
        }
        try await importEntries { store, progress in
            try await store.importEntries(
                data, name: name, vectors: vectors, vectorsName: file, ignoringVectors: ignoreVectors,
                progress: progress)
        }
    }

    private func importEntries(
        _ work: (KnowledgeStore, _ progress: @escaping @Sendable (Int, Int) -> Void) async throws
            -> ImportReport
    ) async throws {
        let store = try await options.openOrCreate()
        let report = try await options.runImport(into: store, unit: "entries") { try await work(store, $0) }
        if json { return try Terminal.json(report) }
        Terminal.write("\(report.new) new, \(report.updated) updated, \(report.unchanged) unchanged")
        if report.embedded > 0 {
            options.note(
                "embedded \(Count.text(report.embedded, "entry", "entries")): "
                    + (ignoreVectors
                        ? "--ignore-vectors was given"
                        : "the file has no vectors from \(store.embedder.space.model) for them"))
        }
    }

    /// Imports the texts of another program, with their vectors if they belong to the store.
    private func importVectors(_ archive: VectorArchive) async throws {
        let store = try await options.openOrCreate()
        let report = try await options.runImport(into: store, unit: "texts") { progress in
            try await store.importVectors(archive, ignoringVectors: ignoreVectors, progress: progress)
        }
        options.remark(on: store.embedder)
        if report.withoutText > 0 {
            options.note("skipped \(Count.text(report.withoutText, "vector")) without a text in the file")
        }
        if json { return try Terminal.json(report) }
        let counts = report.entries
        Terminal.write("\(counts.new) new, \(counts.updated) updated, \(counts.unchanged) unchanged")
        options.note(
            report.vectors > 0
                ? "imported \(Count.text(report.vectors, "vector"))"
                : "the texts were embedded with \(store.embedder.space.model): "
                    + (ignoreVectors
                        ? "--ignore-vectors was given"
                        : !archive.hasVectors
                            ? "the file has no vectors"
                            : "the vectors are of another model; a store that `roost init --model` creates "
                                + "with that model keeps them"))
    }

    /// Imports the entities of a reference memory server.
    private func importMemory(_ data: Data, _ name: String) async throws {
        let graph = try MemoryGraph(data, name: name)
        let path = file == "-" ? "stdin" : URL(fileURLWithPath: file).standardizedFileURL.path
        let store = try await options.openOrCreate()
        let report = try await store.ingest([graph.draft(id: MemoryGraph.source(ofPath: path), of: data)])
        await options.refreshIndex(of: store)
        try await store.close()
        if !graph.danglingLines.isEmpty {
            options.note(
                "skipped \(Count.text(graph.danglingLines.count, "relation")) of entities that the file does "
                    + "not contain "
                    + "(line \(graph.danglingLines[0])\(graph.danglingLines.count > 1 ? ", ..." : ""))")
        }
        for skip in report.skipped { options.note("skipped an entity: \(Terminal.line(skip.reason))") }
        if json { return try Terminal.json(report) }
        Terminal.write(
            "\(report.new) new, \(report.updated) updated, \(report.unchanged) unchanged, "
                + "\(report.removed) removed; \(Count.text(graph.relationCount, "relation"))")
    }
}
