import ArgumentParser
import Foundation
import Roost
import RoostModel

extension LLM {
    /// The command of llm's plugin llm-cluster.
    struct ClusterTexts: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cluster", abstract: "Divide the texts of a collection into a number of groups.",
            discussion: """
                Prints a JSON array with the groups, the largest first. Each has an id and its items, with \
                the id and the beginning of each text. The clusters of the store do not change; `roost \
                recluster` creates labeled ones, and chooses their number.

                Examples:
                  roost llm cluster notes 5
                  roost llm cluster notes 5 --truncate 0
                """)

        @OptionGroup var options: LLMOptions

        @Argument(help: ArgumentHelp("The collection.", valueName: "COLLECTION"))
        var collection: String

        @Argument(help: ArgumentHelp("The number of groups.", valueName: "N"))
        var count: Int

        @Option(
            name: .long,
            help: ArgumentHelp("Print the first N characters of each text; 0 for all.", valueName: "N"))
        var truncate = 100

        private struct Document: Encodable {
            struct Item: Encodable {
                var id: String
                var content: String
            }

            var id: String
            var items: [Item]
        }

        func validate() throws {
            guard count >= 1 else { throw ValidationError("N must be at least 1, not \(count)") }
            guard truncate >= 0 else {
                throw ValidationError("--truncate must be at least 0, not \(truncate)")
            }
        }

        func run() async throws {
            let options = try options.storeOptions()
            let (store, snapshot, filter) = try await LLMOptions.open(collection, options)
            let dimension = store.embedder.space.dimension
            var items: [Document.Item] = []
            var vectors: [Float] = []
            for try await page in snapshot.entryPages(matching: filter) {
                for entry in page.entries where entry.embeddings.count == dimension {
                    let text = truncate == 0 ? entry.content : String(entry.content.prefix(truncate))
                    items.append(Document.Item(id: entry.key ?? entry.id.text, content: text))
                    vectors += entry.embeddings
                }
            }
            try await store.close()
            guard count <= items.count else {
                throw CommandError(
                    .usage,
                    "cannot create \(Count.text(count, "group")): the collection has "
                        + "\(Count.text(items.count, "text")) with vectors")
            }
            let matrix = Matrix(rows: items.count, columns: dimension, elements: vectors)
            let labels = try await SphericalKMeans(clusters: count).cluster(matrix).labels
            let groups = Dictionary(grouping: items.indices) { labels[$0].group ?? -1 }
            // Texts without words have no direction, and belong to no group.
            let sorted = groups.filter { $0.key >= 0 }.sorted {
                ($1.value.count, $0.key) < ($0.value.count, $1.key)
            }
            try Terminal.json(
                sorted.enumerated().map { index, group in
                    Document(id: "\(index)", items: group.value.map { items[$0] })
                })
        }
    }
}
