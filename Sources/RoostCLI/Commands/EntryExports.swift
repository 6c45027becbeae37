import ArgumentParser
import Foundation
import Roost

extension Export {
    struct Entries: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Export the entries, all of them or those that match filters.",
            discussion: """
                `roost import` reads json and jsonl. With jsonl, each line is an entry; --with-header adds a \
                first line with the version of the format and, with --with-embeddings, the embedding \
                space. If a file states no embedding space, `roost import` compares a sample of its vectors \
                with those of the store's model. The other formats are for other programs:

                  csv       One row per entry: id, source, key, title, tags, createdAt, updatedAt, metadata \
                (a JSON object), content and, with --with-embeddings, embedding (a JSON array).
                  npy       A NumPy array with the vector of each entry, and a CSV file of the same name \
                with the entries in the same order. Entries without vectors are omitted.
                  markdown  A new folder with one file per entry, with the metadata as front matter.

                Examples:
                  roost export entries -o entries.json
                  roost export entries --jsonl | zstd > entries.jsonl.zst
                  roost export entries --format csv --tag draft --since 30d -o drafts.csv
                  roost export entries --format npy -o vectors.npy
                  roost export entries --format markdown -o notes
                """)

        /// The forms of exported entries.
        enum Format: String, ExpressibleByArgument, CaseIterable {
            case json, jsonl, csv, npy, markdown
        }

        @OptionGroup var options: StoreOptions
        @OptionGroup var target: Target
        @OptionGroup var filters: FilterOptions

        @Option(
            name: .customLong("format"),
            help: ArgumentHelp(
                "json (one document; the default), jsonl (one entry per line), csv, npy, or markdown.",
                valueName: "FORMAT"))
        var chosenFormat: Format?

        @OptionGroup var flags: JSONFormatFlags

        @Flag(
            name: .long,
            help: """
                With csv and npy: do not put an apostrophe before cells that a spreadsheet would run as \
                formulas. Use it only for programs that are not spreadsheets.
                """)
        var raw = false

        @Flag(
            name: .long,
            help: "With jsonl: begin with a line that states the format and the space of the vectors.")
        var withHeader = false

        private var format: Format { flags.choose(chosenFormat, json: .json, jsonl: .jsonl) }

        func validate() throws {
            try flags.check(chosenFormat)
            if withHeader, format != .jsonl { throw ValidationError("--with-header needs --format jsonl") }
            if raw, format != .csv, format != .npy {
                throw ValidationError("--raw needs --format csv or npy")
            }
            if [.npy, .markdown].contains(format), target.output == nil || target.output == "-" {
                throw ValidationError("--format \(format.rawValue) writes files; name them with -o")
            }
            if format == .markdown, target.withEmbeddings {
                throw ValidationError("--with-embeddings cannot be combined with --format markdown")
            }
        }

        func run() async throws {
            let store = try await options.open()
            let filter = try await filters.filter(options, store)
            let count = try await write(store, filter)
            try await store.close()
            if count == 0 { options.note("no entry matches; the export is empty") }
        }

        /// Writes the entries, and returns their number.
        private func write(_ store: KnowledgeStore, _ filter: EntryFilter) async throws -> Int {
            let snapshot = try await store.storage.snapshot()
            switch format {
            case .json, .jsonl:
                try await writeArchive(format == .json ? .json : .jsonl, store, filter)
                return try await snapshot.rows(matching: filter).count
            case .csv:
                var table = EntryTable(withEmbeddings: target.withEmbeddings, escapesFormulas: !raw)
                for try await entry in snapshot.allEntries(matching: filter) { try table.add(entry) }
                try Output.write(target.output) { try $0(table.data) }
                return table.count
            case .npy:
                return try await writeVectors(snapshot, filter)
            case .markdown:
                let folder = try EntryFolder(URL(fileURLWithPath: target.output ?? ""))
                for try await entry in snapshot.allEntries(matching: filter) { try folder.add(entry) }
                return try folder.finish()
            }
        }

        private func writeArchive(
            _ format: EntryArchive.Format, _ store: KnowledgeStore, _ filter: EntryFilter
        ) async throws {
            guard target.output != nil else {
                return try await store.exportEntries(
                    format, withEmbeddings: target.withEmbeddings, withHeader: withHeader, filter: filter
                ) { Terminal.write($0) }
            }
            var blocks: [Data] = []
            try await store.exportEntries(
                format, withEmbeddings: target.withEmbeddings, withHeader: withHeader, filter: filter
            ) { blocks.append($0) }
            try Output.write(target.output) { write in for block in blocks { try write(block) } }
        }

        private func writeVectors(_ snapshot: any StorageSnapshot, _ filter: EntryFilter) async throws -> Int
        {
            var table = EntryTable(withEmbeddings: false, escapesFormulas: !raw)
            var (rows, omitted): ([[Float]], Int) = ([], 0)
            for try await entry in snapshot.allEntries(matching: filter) {
                guard !entry.embeddings.isEmpty else {
                    omitted += 1
                    continue
                }
                rows.append(entry.embeddings)
                try table.add(entry)
            }
            let url = URL(fileURLWithPath: target.output ?? "")
            let texts = url.deletingPathExtension().appendingPathExtension("csv")
            guard texts.path != url.path else {
                throw CommandError(.usage, "the file of --format npy must not have the extension csv")
            }
            let matrix = Matrix(rows, columns: rows.first?.count ?? 0)
            try Output.write(texts.path) { try $0(table.data) }
            try Output.write(url.path) { try $0(Embed.npy(matrix)) }
            if omitted > 0 {
                options.note("omitted \(Count.text(omitted, "entry", "entries")) without vectors")
            }
            options.note("wrote the entries, in the same order, to \(texts.path)")
            return table.count
        }
    }
}
