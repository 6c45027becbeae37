import ArgumentParser

struct Index: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Build and inspect the search index.",
        discussion: """
            The index is derived from the store: a missing, outdated or damaged index makes searches \
            slower, never wrong. `roost ingest` rebuilds it when a tenth of the entries have changed. \
            For stores with 50,000 passages or more, `roost index build` adds a proximity graph for \
            approximate search, which finds nearly all of the nearest passages in a fraction of the \
            time; `roost query --exact` compares all vectors instead. If the vectors of a store in \
            PostgreSQL are searched in the database (`roost config search-in`), `roost index build` \
            builds an index of words on this machine and an index of vectors in the database, while other \
            clients continue to work.

            Examples:
              roost index build
              roost index stats --recall
            """,
        subcommands: [BuildIndex.self, IndexStats.self])
}
