import Foundation
import RoostIndexes
import RoostModel

/// Verifies the search index. The index is derived data, so damage to it is not damage to the store.
struct IndexCheck: StoreContentCheck {
    func findings(in contents: StoreContents) -> [StorageFinding] {
        let (directory, stamp) = (contents.directory, contents.snapshot.stamp)
        let folder = IndexFolder(of: directory)
        var findings: [StorageFinding] = []
        func check(_ name: String, _ body: () throws -> Void) {
            do {
                try body()
            } catch {
                findings.append(
                    .note(
                        folder.file(name).path, "is not used: \(error)",
                        remedy: "does not change it; rebuild the index to replace it"))
            }
        }
        check(PassageFile.name) {
            let file = try PassageFile(in: directory, for: stamp)
            try file?.vectors.verify()
            try file?.graph()?.verify()
        }
        check(TextFile.name) { _ = try TextFile(in: directory, for: stamp) }
        return findings
    }
}
