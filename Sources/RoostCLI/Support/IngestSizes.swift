import Foundation
import Roost
import Synchronization

/// Measures the progress of an ingest by the sizes of its input files.
final class IngestSizes: Sendable {
    /// The element at index n is the total size of the first n files, in bytes.
    private let before: [Int]
    /// For each source returned so far, the index of its file.
    private let files = Mutex<[Int]>([])

    init(_ files: [URL]) {
        var sum = 0
        before =
            [0]
            + files.map { file in
                sum += (try? file.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? 0
                return sum
            }
    }

    /// Records that the next source comes from the file with the given index.
    func note(draftAt file: Int) {
        guard before.indices.contains(file + 1) else { return }
        files.withLock { $0.append(max(0, file)) }
    }

    /// Returns the processed share of all bytes, from 0 to 1; 0 if there are no files.
    func fraction(of progress: IngestProgress) -> Double {
        guard let all = before.last, all > 0 else { return 0 }
        let returned = files.withLock { $0 }
        // Standard input is a source without a file, so there may be fewer files than sources, or none.
        let done = returned.prefix(progress.sources).last.map { before[$0 + 1] } ?? 0
        guard progress.sources < returned.count else { return Double(done) / Double(all) }
        let next = returned[progress.sources]
        let size = Double(before[next + 1] - before[next]) * progress.fractionOfNextSource
        return (Double(before[next]) + size) / Double(all)
    }
}
