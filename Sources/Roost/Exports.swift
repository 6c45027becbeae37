// The modules that `import Roost` makes available, and the reason for each. The other modules must be
// imported explicitly, and are separate products. Of these, the public API of Roost uses RoostChunks: a program
// that makes backups chooses a repository or a chunk storage, and others need neither.
// The API does not use RoostConversations (histories of chats, recall of messages), RoostPostgres (a storage
// on a server), RoostRemote (servers and buckets) and RoostTestKit (conformance tests).

/// The clusterers that are passed to `KnowledgeStore.recluster`, and the lineage of clusters that it reports.
@_exported import RoostClustering
/// The readers of documents, which an ingest uses, and the links in texts, which `KnowledgeStore.links(of:)`
/// returns.
@_exported import RoostDocuments
/// The embedders that run on this computer, which are passed to `KnowledgeStore.create(in:embedder:)`.
@_exported import RoostEncoders
/// Entries, clusters, filters, storage providers, embedders and their errors: the vocabulary of every call.
@_exported import RoostModel
/// `LocalStorageProvider`, which stores readable JSON files, and `SQLiteStorageProvider`, which stores a
/// database. Both can be used without a `KnowledgeStore`.
@_exported import RoostStorage
/// `PassageSplitter`, which determines how a store splits texts, and `Snippet`, which search results contain.
@_exported import RoostText
/// `Matrix`, `Clusterer` and `Partition`, which are needed to write custom embedders and clusterers, and the
/// indexes of vectors, which can be used without a store.
@_exported import RoostVectors
