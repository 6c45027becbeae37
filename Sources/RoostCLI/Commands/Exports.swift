public import ArgumentParser
import Foundation
public import Roost
import RoostFiles

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write clusters or entries.", subcommands: [Clusters.self, Entries.self])

    struct Target: ParsableArguments {
        @Flag(name: .long, help: "With the vectors.")
        var withEmbeddings = false

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("Write to this file; it is there in full or not at all.", valueName: "FILE"))
        var output: String?
    }

    struct Clusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Write the clusters with their members.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var target: Target

        enum Format: String, ExpressibleByArgument, CaseIterable {
            case json, jsonl, csv, markdown, html, atlas
        }

        @Option(
            name: .long,
            help: ArgumentHelp(
                "json: one document; jsonl: one cluster a line; csv: one entry a line; markdown: for people; "
                    + "html: a page with a map; atlas: lines for embedding-atlas.", valueName: "FORMAT"))
        var format: Format = .json

        func run() async throws {
            let store = try await options.open()
            if format == .html || format == .atlas {
                let isPage = format == .html
                let map = try await store.clusterMap(limit: isPage ? KnowledgeStore.largestPage : .max)
                try await store.close()
                let data = try isPage ? map.page() : map.atlas()
                try Output.write(target.output) { try $0(data) }
                if map.total > map.points.count {
                    options.note("\(map.points.count) of \(map.total) entries are on the page")
                }
                return
            }
            let export = try await store.exportClusters(withEmbeddings: target.withEmbeddings)
            try await store.close()
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            if format == .json { encoder.outputFormatting.insert(.prettyPrinted) }
            var data = Data()
            switch format {
            case .json: data = try encoder.encode(export) + Data("\n".utf8)
            case .jsonl:
                for cluster in export.allClusters {
                    // Those below it have lines of their own, which name it.
                    var flat = cluster
                    flat.children = nil
                    data += try encoder.encode(flat) + Data("\n".utf8)
                }
            case .csv: data = export.csv
            case .markdown: data = export.markdown()
            case .html, .atlas: break  // Written above.
            }
            try Output.write(target.output) { try $0(data) }
            if export.clusters.isEmpty {
                options.note("there are no clusters yet; `roost recluster` makes them")
            }
            if export.unassignedCount > 0 {
                options.note(
                    "\(export.unassignedCount) entries are in no cluster: they came after the last run, or "
                        + "have no vectors; recluster to place what can be placed"
                )
            }
        }
    }

    struct Entries: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the entries, to be read by `roost import`.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var target: Target

        @Option(name: .long, help: "json: one document; jsonl: one entry a line.")
        var format: EntryArchive.Format = .json

        func run() async throws {
            let store = try await options.open()
            var pieces: [Data] = []
            if target.output == nil {
                try await store.exportEntries(format, withEmbeddings: target.withEmbeddings) {
                    Terminal.write($0)
                }
            } else {
                try await store.exportEntries(format, withEmbeddings: target.withEmbeddings) {
                    pieces.append($0)
                }
                try Output.write(target.output) { write in for piece in pieces { try write(piece) } }
            }
            try await store.close()
        }
    }
}

extension EntryArchive.Format: ExpressibleByArgument {}
extension LeidenClusterer.Granularity: ExpressibleByArgument {}

enum Output {
    /// Writes to a file, whole or not at all, or to standard output.
    static func write(_ path: String?, _ body: ((Data) throws -> Void) throws -> Void) throws {
        guard let path, path != "-" else { return try body { Terminal.write($0) } }
        var status = stat()
        let isThere = stat(path, &status) == 0
        do {
            if isThere, status.st_mode & S_IFMT != S_IFREG {
                // A device or a pipe is written into, not replaced.
                let file = try FileDescriptor(path, O_WRONLY)
                return try body { data in try data.withUnsafeBytes { try file.write($0) } }
            }
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
            try AtomicFile.write(to: target) { file in
                if isThere { _ = fchmod(file.raw, status.st_mode & 0o777) }
                try body { data in try data.withUnsafeBytes { try file.write($0) } }
            }
        } catch let error as FileError {
            throw CommandError(.cannotCreate, error.description)
        }
    }
}

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take in what `roost export entries` wrote, or an entries.json.")

    @OptionGroup var options: StoreOptions

    @Argument(help: ArgumentHelp("A file, or - for standard input.", valueName: "FILE"))
    var file: String

    @Flag(name: .long, help: "Report as JSON.")
    var json = false

    func run() async throws {
        let data = try InputFile.read(file)
        let name = file == "-" ? "standard input" : file
        // A store is not made for a file that cannot be taken in.
        if try !options.hasStore() { try KnowledgeStore.checkImport(data, name: name) }
        let store = try await options.openOrCreate()
        let progress = Progress(isQuiet: options.quiet)
        let report: ImportReport
        do {
            report = try await store.importEntries(data, name: name) { done, all in
                progress.update(done, fraction: Double(done) / Double(max(1, all)))
            }
        } catch is CancellationError {
            progress.finish()
            try? await store.close()
            throw CommandError(
                .interrupted,
                "stopped; \(progress.done) entries of the file are in the store, and the same command "
                    + "goes on from there")
        }
        progress.finish()
        await options.refreshIndex(of: store)
        try await store.close()
        if json { return try Terminal.json(report) }
        Terminal.write("\(report.new) new, \(report.updated) updated, \(report.unchanged) unchanged")
        if report.embedded > 0 {
            options.note(
                "\(report.embedded) were embedded: the file has no vectors of \(store.embedder.space.model)")
        }
    }
}
