import Foundation
import RoostModel

/// The names of the folders of ingested files, which contribute to the labels of clusters.
enum FolderNames {
    /// The maximum number of folders of a file that are considered. Folders further up seldom name a subject.
    static let maximumCount = 2
    /// The maximum share of the files that a folder contains if its name says something about their subject.
    /// The ingested folder itself usually contains all of them.
    private static let maximumShare = 0.5

    /// Returns the names of the folders that contain the file of a source, the outermost first.
    static func names(ofSource source: String) -> [String] {
        guard let url = URL(string: source), url.isFileURL else { return [] }
        return url.pathComponents.dropLast().filter { $0 != "/" }.suffix(maximumCount)
    }

    /// Returns the names that more than half of the entries from files have.
    ///
    /// - Complexity: O(entries).
    static func common(in snapshot: any StorageSnapshot) async throws -> Set<String> {
        // A folder usually has many entries, so its names are determined only once.
        var counts: [Substring: Int] = [:]
        for try await page in snapshot.headerPages() {
            try Task.checkCancellation()
            for source in page.headers.lazy.compactMap(\.source) {
                guard let end = source.utf8.lastIndex(of: UInt8(ascii: "/")) else { continue }
                counts[source[...end], default: 0] += 1
            }
        }
        var (totals, all) = ([String: Int](), 0)
        for (folder, count) in counts {
            let names = Set(names(ofSource: "\(folder)file"))
            for name in names { totals[name, default: 0] += count }
            if !names.isEmpty { all += count }
        }
        return Set(totals.filter { Double($0.value) > maximumShare * Double(all) }.keys)
    }
}
