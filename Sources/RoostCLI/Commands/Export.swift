import ArgumentParser
import Foundation
import Roost
import RoostModel

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export clusters or entries.",
        discussion: """
            Examples:
              roost export clusters -o clusters.json
              roost export entries -o entries.jsonl
            """,
        subcommands: [Clusters.self, Entries.self])

    struct Clusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clusters", abstract: "Export the clusters with their members.",
            discussion: """
                The formats are json (one document, see Documentation/Schemas/clusters.schema.json), jsonl \
                (one cluster per line), csv (one entry per line), and html (a page \
                with a map).

                Examples:
                  roost export clusters -o clusters.json
                  roost export clusters --format html -o map.html
                  roost export clusters --format csv | head
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var target: ExportTarget<Format>

        enum Format: String, ExportFormat {
            case json, jsonl, csv, html
        }

        func run() async throws {
            let format = try target.chosen()
            let store = try await options.open()
            if format == .html {
                let map = try await Progress(isQuiet: options.quiet).during("computing the map") {
                    try await store.clusters.map()
                }
                try await store.close()
                try OutputFile.write(map.page, to: target.output)
                if map.total > map.count {
                    options.note("the page shows \(map.count) of \(map.total) entries")
                }
                return
            }
            let export = try await Progress(isQuiet: options.quiet).during("reading the clusters") {
                try await store.clusters.export(withEmbeddings: target.withEmbeddings)
            }
            try await store.close()
            var data = Data()
            switch format {
            case .json:
                data = try Terminal.prettyEncoder.encode(export) + Data("\n".utf8)
            case .jsonl:
                for cluster in export.allClusters {
                    // Children are written on separate lines, which contain the id of the parent.
                    var flat = cluster
                    flat.children = nil
                    data += try Terminal.lineEncoder.encode(flat) + Data("\n".utf8)
                }
            case .csv: data = export.csv()
            case .html: break  // written above
            }
            try OutputFile.write(data, to: target.output)
            if export.clusters.isEmpty {
                options.note(StoreOptions.noClusters)
            } else if export.unassignedCount > 0 {
                options.note(
                    Count.text(export.unassignedCount, "entry is", "entries are")
                        + " in no cluster; `roost list --cluster none` lists them")
            }
        }
    }
}

extension Export {
    struct Entries: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "entries", abstract: "Export the entries, all of them or those that match filters.",
            discussion: """
                The formats are:

                  jsonl  One entry per line. With vectors, the first line states their embedding space.
                  csv    One row per entry: id, source, key, title, tags, createdAt, updatedAt, metadata \
                (a JSON object), content and, with --with-embeddings, embedding (a JSON array).
                  npy    A NumPy array with the vector of each entry, and a CSV file of the same name with \
                the entries in the same order. Entries without vectors are omitted. A CSV file of this name \
                that is not from an earlier export is not replaced.

                `roost import` reads jsonl and csv.

                Examples:
                  roost export entries -o entries.jsonl
                  roost export entries | zstd > entries.jsonl.zst
                  roost export entries --tag draft --since 30d -o drafts.csv
                  roost export entries -o vectors.npy
                """)

        enum Format: String, ExportFormat {
            case jsonl, csv, npy
        }

        @OptionGroup var options: StoreOptions
        @OptionGroup var target: ExportTarget<Format>
        @OptionGroup var filters: FilterOptions

        func validate() throws {
            if try target.chosen() == .npy, target.output == nil || target.output == "-" {
                throw ValidationError("--format npy writes files; name them with -o")
            }
        }

        func run() async throws {
            if try target.chosen() == .npy { try requireOwnTable() }
            let store = try await options.open()
            let filter = try await filters.filter(options, store)
            let count = try await write(store, filter)
            try await store.close()
            if count == 0 { options.note("no entry matches; the export is empty") }
        }

        private func write(_ store: KnowledgeStore, _ filter: EntryFilter) async throws -> Int {
            let snapshot = try await store.storage.snapshot()
            let isShown = (target.output ?? "-") == "-" && Terminal.isOutputTerminal
            let progress = Progress(isQuiet: options.quiet || isShown)
            let all = try await store.count(matching: filter)
            defer { progress.finish() }
            switch try target.chosen() {
            case .jsonl:
                let file = try OutputFile(target.output)
                var count = 0
                let withVectors = target.withEmbeddings
                try file.write(EntryArchive.header(of: store.embedder.space, withEmbeddings: withVectors))
                try await snapshot.entryPages(matching: filter).forEachAhead { page in
                    try file.write(
                        try await EntryArchive.lines(of: page.entries, withEmbeddings: withVectors))
                    count += page.entries.count
                    progress.update(count, of: all)
                }
                try file.finish()
                return count
            case .csv:
                let file = try OutputFile(target.output)
                var table = try EntryTable(withEmbeddings: target.withEmbeddings, write: file.write)
                try await snapshot.entryPages(matching: filter).forEachAhead { page in
                    for entry in page.entries { try table.add(entry) }
                    progress.update(table.count, of: all)
                }
                try file.finish()
                progress.finish()
                noteChanges(of: table)
                return table.count
            case .npy:
                return try await writeVectors(snapshot, filter, progress, all)
            }
        }

        private func noteChanges(of table: EntryTable) {
            if table.changedCellCount > 0 {
                options.note(DelimitedLine.note(onChangedCells: table.changedCellCount))
            }
        }

        private var vectorFiles: (vectors: URL, table: URL) {
            let url = URL(fileURLWithPath: target.output ?? "")
            return (url, url.deletingPathExtension().appendingPathExtension("csv"))
        }

        /// Checks that the CSV file next to the NumPy file does not exist, or is from an earlier export.
        private func requireOwnTable() throws {
            let files = vectorFiles
            guard files.table.path != files.vectors.path else {
                throw CommandError(.usage, "the file of --format npy must not have the extension csv")
            }
            guard FileStatus(files.table.path) == nil || FileStatus(files.vectors.path) != nil else {
                throw CommandError(
                    .cannotCreate,
                    "cannot export the entries to \(Terminal.line(files.table.path, limit: 200)): the file "
                        + "exists and is not from an earlier export; choose another name with -o")
            }
        }

        private func writeVectors(
            _ snapshot: any StorageSnapshot, _ filter: EntryFilter, _ progress: Progress, _ all: Int
        ) async throws -> Int {
            let shape = try await Self.shape(of: snapshot, filter)
            let (url, texts) = vectorFiles
            let vectors = try OutputFile(url.path)
            try vectors.write(NumPyFormat.header(rows: shape.rows, columns: shape.columns))
            let lines = try OutputFile(texts.path)
            var table = try EntryTable(withEmbeddings: false, write: lines.write)
            var omitted = 0
            try await snapshot.entryPages(matching: filter).forEachAhead { page in
                for entry in page.entries where !entry.embeddings.isEmpty {
                    try vectors.write(NumPyFormat.bytes(of: entry.embeddings))
                    try table.add(entry)
                }
                omitted += page.entries.count(where: \.embeddings.isEmpty)
                progress.update(table.count + omitted, of: all)
            }
            // A full disk or a cancellation leaves both earlier files.
            try lines.complete()
            try vectors.complete()
            try Task.checkCancellation()
            try lines.finish()
            try vectors.finish()
            progress.finish()
            if omitted > 0 {
                options.note("omitted \(Count.text(omitted, "entry", "entries")) without vectors")
            }
            options.note("wrote the entries, in the same order, to \(texts.path)")
            noteChanges(of: table)
            return table.count
        }

        /// Returns the number of vectors that an export contains, which its file states first, and their
        /// dimension.
        private static func shape(
            of snapshot: any StorageSnapshot, _ filter: EntryFilter
        ) async throws -> (rows: Int, columns: Int) {
            let rows = try await snapshot.rows(matching: filter)
            var shape = (rows: 0, columns: 0)
            for try await page in snapshot.vectorPages(of: .entries) {
                try Task.checkCancellation()
                let count = page.rows.count { rows.contains($0) }
                shape.rows += count
                if count > 0 { shape.columns = page.vectors.columns }
            }
            return shape
        }
    }
}
