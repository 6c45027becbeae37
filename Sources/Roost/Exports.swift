// The modules that `import Roost` makes available: those whose types the public API of Roost names, except
// RoostChunks, which only programs that make backups need. Every other module is imported by its own name.

/// The clusterers that are passed to `KnowledgeStore.recluster`, and the lineage of clusters that it reports.
@_exported import RoostClustering
/// The readers of documents, which an ingest uses, and the links in texts, which `KnowledgeStore.links` returns.
@_exported import RoostDocuments
/// The embedders that run on this computer, which are passed to `KnowledgeStore.create(at:embedder:)`.
@_exported import RoostEncoders
/// Entries, clusters, filters, storage providers, embedders and their errors: the vocabulary of every call.
@_exported import RoostModel
/// `PassageSplitter`, which splits texts into passages, and `Snippet`, which search results contain.
@_exported import RoostText
/// `Matrix`, `Clusterer` and `Partition`, which are needed to write custom embedders and clusterers, and the
/// indexes of vectors, which can be used without a store.
@_exported import RoostVectors
