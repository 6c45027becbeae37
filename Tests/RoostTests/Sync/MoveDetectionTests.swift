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

    /// Returns the moves of a chain of files, each of which has the former contents and inode of the file
    /// before it.
    private func moves(ofChain count: Int, lastIsNew: Bool) -> [SourceMove] {
        func status(_ number: Int) -> FileStatus {
            FileStatus(size: 1, modified: 0, changed: 0, inode: UInt64(number))
        }
        let origins = (0..<count).map { number in
            MoveDetection.Origin(
                source: "file:///\(number)", digest: "\(number)", isMissing: number == 0,
                status: status(number))
        }
        let candidates = (1...count).map { number in
            let path = "/\(number)"
            let isNew = lastIsNew && number == count
            return SyncCandidate(
                file: FolderWalk.File(path: path, relativePath: path, status: status(number - 1)),
                source: "file://" + path,
                record: isNew ? nil : Source(id: "file://" + path, fingerprint: "f", entryIDs: []))
        }
        let digests = Dictionary(uniqueKeysWithValues: candidates.enumerated().map { ($1.source, "\($0)") })
        return MoveDetection(from: origins, to: candidates).moves(digests)
    }

    @Test func `a chain of moves is followed`() {
        let moves = moves(ofChain: 20, lastIsNew: true)
        #expect(moves.map(\.origin) == (0..<20).map { "file:///\($0)" })
        #expect(moves.map(\.target) == (1...20).map { "file:///\($0)" })
        // The last file was overwritten, so it and all files before it keep their own entries.
        #expect(self.moves(ofChain: 20, lastIsNew: false).isEmpty)
    }

    @Test func `a file that is at its path has not moved to its hard link`() {
        func status(_ inode: UInt64) -> FileStatus {
            FileStatus(size: 1, modified: 0, changed: 0, inode: inode)
        }
        func candidate(_ path: String, _ inode: UInt64, isKnown: Bool) -> SyncCandidate {
            let record = Source(id: "file://" + path, fingerprint: isKnown ? "f" : "", entryIDs: [])
            return SyncCandidate(
                file: FolderWalk.File(path: path, relativePath: path, status: status(inode)),
                source: record.id, record: record)
        }
        let origins = [
            MoveDetection.Origin(source: "file:///a", digest: "d", isMissing: false, status: status(1))
        ]
        let digests = ["file:///a": "d", "file:///b": "d"]
        func moves(_ inode: UInt64) -> [SourceMove] {
            let candidates = [candidate("/a", inode, isKnown: true), candidate("/b", 1, isKnown: false)]
            return MoveDetection(from: origins, to: candidates).moves(digests)
        }
        #expect(moves(1).isEmpty)
        #expect(moves(2).map(\.target) == ["file:///b"])
    }
}
