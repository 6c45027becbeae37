import Foundation
import TestSupport

/// The expected state of a synced folder: a dictionary of files, each with the number of the entry that it
/// should have.
struct SyncModel {
    /// A file since the last sync.
    struct File {
        var text: String
        /// The path at the last sync, if the text has not changed since then.
        var origin: String?
    }

    /// The present files by path.
    var files: [String: File] = [:]
    /// The number of the entry of each file at the last sync.
    private(set) var numbers: [String: Int] = [:]
    /// The texts at the last sync.
    private(set) var texts: Set<String> = []
    private var nextNumber = 0

    /// Updates the numbers as a sync should.
    ///
    /// A file keeps its number if its path had one. A file that was renamed has the number of its origin,
    /// unless the target had a file that was not renamed itself.
    mutating func sync() {
        var moves: [String: String] = [:]
        for (path, file) in files {
            if let origin = file.origin, origin != path { moves[path] = origin }
        }
        while true {
            let leaving = Set(moves.values)
            let kept = moves.filter { numbers[$0.key] == nil || leaving.contains($0.key) }
            if kept.count == moves.count { break }
            moves = kept
        }
        let leaving = Set(moves.values)
        var new: [String: Int] = [:]
        for path in files.keys.sorted() {
            if let origin = moves[path] {
                new[path] = numbers[origin]
            } else if let number = numbers[path], !leaving.contains(path) {
                new[path] = number
            } else {
                new[path] = nextNumber
                nextNumber += 1
            }
        }
        numbers = new
        texts = Set(files.values.map(\.text))
        for path in files.keys { files[path]?.origin = path }
    }
}
