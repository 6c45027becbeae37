public import ArgumentParser
import Foundation
public import Roost

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
                try OutputFile.write(try map.page(), to: target.output)
                if map.total > map.points.count {
                    options.note("the page shows \(map.points.count) of \(map.total) entries")
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
                data = try Terminal.prettyEncoder.encode(export).escapingControlsInJSON() + Data("\n".utf8)
            case .jsonl:
                let encoder = Terminal.lineEncoder
                for cluster in export.allClusters {
                    // Children are written on separate lines, which contain the id of the parent.
                    var flat = cluster
                    flat.children = nil
                    data += try encoder.encode(flat).escapingControlsInJSON() + Data("\n".utf8)
                }
            case .csv: data = export.csv()
            case .html: break  // written above
            }
            try OutputFile.write(data, to: target.output)
            if export.clusters.isEmpty {
                options.note("the store has no clusters yet; run `roost recluster` to create them")
            } else if export.unassignedCount > 0 {
                options.note(
                    Count.text(export.unassignedCount, "entry is", "entries are")
                        + " in no cluster since the last run; run `roost recluster`")
            }
        }
    }
}

extension LeidenClusterer.Granularity: ExpressibleByArgument {}
