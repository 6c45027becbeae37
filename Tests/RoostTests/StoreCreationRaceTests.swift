import Foundation
import Roost
import RoostModel
import TestSupport
import Testing

/// Tests of two processes that create a store in the same folder at the same time.
@Suite(.temporaryFolders) struct StoreCreationRaceTests {
    /// An embedder with which a store is created by another caller before its first vector is returned.
    private struct Competitor: Embedder {
        let folder: URL
        let base = LexicalEmbedder()

        var space: EmbeddingSpace { base.space }
        var maximumTokens: Int? { base.maximumTokens }

        func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
            if !StoreManifest.exists(in: folder) {
                try await KnowledgeStore.create(in: folder, embedder: base).close()
            }
            return try await base.embed(texts, as: role)
        }

        func tokenRanges(in text: String) -> [Range<Int>] { base.tokenRanges(in: text) }
    }

    /// Returns the files of a folder that this process has open.
    private func openFiles(in folder: URL) throws -> [String] {
        let descriptors = "/proc/self/fd"
        let path = folder.resolvingSymlinksInPath().path + "/"
        return try FileManager.default.contentsOfDirectory(atPath: descriptors).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
        }.filter { $0.hasPrefix(path) }
    }

    @Test func `a creation that another one overtakes fails and leaves no file open`() async throws {
        let folder = try TemporaryFolder().url
        let error = await #expect(throws: RoostError.self) {
            try await KnowledgeStore.create(in: folder, embedder: Competitor(folder: folder))
        }
        #expect(error?.code == .storeExists)
        #expect(try openFiles(in: folder).isEmpty)
        let store = try await KnowledgeStore.openOrCreate(at: folder, model: .lexical)
        _ = try await store.add("the other store is intact")
        try await store.close()
    }
}
