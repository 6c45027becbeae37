import Foundation
import Roost
import RoostChunks
import RoostRemote
import Testing

/// Tests of errors as an app presents them.
struct ErrorTests {
    @Test func `the localized description of an error is its message`() {
        let errors: [any Error] = [
            RoostError(.badInput, "the cause"), StorageError(.full, "the cause"),
            EmbedderError(.refused, "the cause"), ClusteringError(.noVectors, "the cause"),
            DocumentError.noText("the cause"), WebError(.refused, "the cause"),
        ]
        for error in errors { #expect(error.localizedDescription == "the cause") }
        let error: any Error = ChunkStorageError.storageFull(reason: "the cause")
        #expect(error.localizedDescription.contains("the cause"))
    }

    @Test func `the set of codes is open`() {
        #expect(WebError.Code(rawValue: "refused") == .refused)
        #expect(WebError.Code(rawValue: "aLaterCode") != .refused)
    }
}
