import Testing

@testable import Roost

@Suite struct MoveDetectionTests {
    @Test func `a missing file moves to the first equal file with its name, or else to the first one left`() {
        let origins = ["/a/x", "/a/y", "/a/z", "/a/v", "/a/w"].map { path in
            MoveDetection.Origin(source: "file://" + path, digest: "d", isMissing: true, status: nil)
        }
        let candidates = ["/b/1", "/b/z", "/c/z", "/b/2"].map { path in
            SyncCandidate(
                file: FolderWalk.File(path: path, relativePath: path, status: nil), source: "file://" + path,
                record: nil, isRepeated: false)
        }
        let digests = Dictionary(uniqueKeysWithValues: candidates.map { ($0.source, "d") })
        let moves = MoveDetection(from: origins, to: candidates).moves(digests)
        #expect(moves.map(\.origin) == origins.dropLast().map(\.source))
        #expect(moves.map(\.target) == ["file:///b/1", "file:///b/z", "file:///c/z", "file:///b/2"])
    }
}
