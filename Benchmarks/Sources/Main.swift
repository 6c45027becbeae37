import ArgumentParser
import Roost

@main
struct Main: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "RoostBenchmarks",
        abstract: "Measure Roost. All figures in Documentation/Benchmarks.md come from this program.",
        subcommands: [
            Encode.self, Search.self, Neighbors.self, EmbedLines.self, ClusterVectors.self, ColdQuery.self,
            ShortTexts.self, StorageFiles.self, SQLiteStorage.self, Recluster.self, ClusterQuality.self,
            RetrievalQuality.self, ChatRecall.self, Conversations.self, WordSearch.self, ExactSearch.self,
            FilteredSearch.self, SimilarityQuality.self, LabelQuality.self, Backups.self, ChunkExistence.self,
            TokenIDs.self, WebPages.self, Spelling.self, QueryTimes.self, SearchRate.self, RecallTimes.self,
            FolderTimes.self,
            PostgresCommit.self, PostgresQueries.self, PostgresSaves.self, PostgresFeed.self,
        ])

    static func main() async {
        ProcessSettings.apply()
        await main(nil)
    }
}
