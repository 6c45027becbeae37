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
              embeddings.db             The database of the program llm, one source per collection.
              chroma.sqlite3            A folder of Chroma 1.x, or the database in it, one source per \
            collection.
              JSON Lines, CSV, TSV      Rows with a text (text, content or document), a vector (embedding or \
            vector) and optionally an id, tags and dates. `roost ingest` reads rows without vectors.

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
        let data = try InputFile.read(file)
        let name = file == "-" ? "standard input" : file
        let path = file == "-" ? "stdin" : url.standardizedFileURL.path
        if ExportedTable(data, name: name) == nil,
            let archive = try await checking({
                try VectorArchive(data, name: name, source: "vectors:" + path, progress: $0)
            })
        {
            return try await importVectors(archive)
        }
        // The file is checked first, so that no store is created if the file is unreadable.
        if try !options.hasStore() { try KnowledgeStore.checkImport(data, name: name) }
        try await importEntries { store, progress in
            try await store.importEntries(
                data, name: name, ignoringVectors: ignoreVectors, progress: progress)
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
}
