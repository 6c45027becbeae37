import ArgumentParser
import Foundation
import Roost
import RoostConversations

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import exported entries, or another program's texts.",
        discussion: """
            Reads these files:

              JSON Lines, CSV  The output of `roost export entries`.
              embeddings.db    The database of the program llm, one source per collection.
              chroma.sqlite3   A folder of Chroma 1.x, or the database in it, one source per collection.

            `roost ingest` reads other tables and documents. Vectors are imported if the file states that \
            they belong to the store's embedding space; otherwise, Roost embeds the texts. Importing the \
            same file again changes nothing.

            Examples:
              roost import entries.jsonl
              roost import ~/.config/io.datasette.llm/embeddings.db
              roost import ./chroma
              zstdcat entries.jsonl.zst | roost import -
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var output: JSONOption

    @Argument(
        help: ArgumentHelp("A file, a folder of Chroma, or - for standard input.", valueName: "FILE"),
        completion: .file())
    var file: String

    func run() async throws {
        let url = URL(fileURLWithPath: file)
        if file != "-", let archive = try TextArchive(contentsOf: url) {
            return try await importTexts(archive)
        }
        if SessionImport.isDatabase(file) {
            throw failure("it is not a database of llm or Chroma; `roost chat import` reads sessions")
        }
        // The file is checked before a store is created.
        let archive = try await checked(url)
        let store = try await options.openOrCreate()
        let report = try await options.runImport(into: store, unit: "entries") {
            try await store.importEntries(archive, progress: $0)
        }
        try show(report)
        if report.embedded > 0, !output.json {
            options.note(
                "embedded \(Count.text(report.embedded, "entry", "entries")): the file has no vectors from "
                    + "\(store.embedder.space.model) for them")
        }
    }

    private func checked(_ url: URL) async throws -> EntryArchive {
        let step = "checking \(file == "-" ? "standard input" : Terminal.line(file, limit: 60))"
        return try await Progress(isQuiet: options.quiet).during(step) {
            do {
                // A regular file is read in pieces, because it can be larger than the memory.
                if file != "-", FileStatus(file)?.isRegular == true {
                    return try EntryArchive(contentsOf: url, name: file)
                }
                return try EntryArchive(
                    try InputFile.read(file), name: file == "-" ? "standard input" : file)
            } catch let error as RoostError where error.code == .badInput {
                throw RoostError(
                    .badInput,
                    error.message + ". `roost ingest` reads tables and documents, and `roost chat import` "
                        + "conversations")
            }
        }
    }

    private func failure(_ fault: String) -> CommandError {
        CommandError(.badData, "cannot import \(Terminal.line(file, limit: 200)): \(fault)")
    }

    private func show(_ report: ImportReport) throws {
        if output.json { return try Terminal.json(report) }
        Terminal.write("\(report.new) new, \(report.updated) updated, \(report.unchanged) unchanged")
    }

    private func importTexts(_ archive: TextArchive) async throws {
        let store = try await options.openOrCreate()
        let report = try await options.runImport(into: store, unit: "texts") {
            try await store.importEntries(archive, progress: $0)
        }
        if archive.recordsWithoutText > 0 {
            options.note(
                "skipped \(Count.text(archive.recordsWithoutText, "vector")) without a text in the file")
        }
        try show(report)
    }
}
