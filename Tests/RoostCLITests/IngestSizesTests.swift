import Foundation
import Roost
import TestSupport
import Testing

@testable import RoostCLI

/// Tests of the progress by sizes of files.
@Suite(.temporaryFolders) struct IngestSizesTests {
    /// Returns files with the given sizes in bytes.
    private func files(_ sizes: Int...) throws -> [URL] {
        let folder = try TemporaryFolder().url
        return try sizes.enumerated().map { index, size in
            let file = folder.appendingPathComponent("\(index).txt")
            try Data(count: size).write(to: file)
            return file
        }
    }

    private func progress(sources: Int, next: Double = 0) -> IngestProgress {
        var progress = IngestProgress()
        progress.sources = sources
        progress.fractionOfNextSource = next
        return progress
    }

    @Test func `The progress is the share of the bytes before and in the next file`() throws {
        let sizes = IngestSizes(try files(100, 300, 400))
        #expect(sizes.fraction(of: progress(sources: 0)) == 0)
        sizes.note(draftAt: 0)
        #expect(sizes.fraction(of: progress(sources: 0, next: 0.5)) == 0.0625)
        #expect(sizes.fraction(of: progress(sources: 1)) == 0.125)
        // The second file was skipped.
        sizes.note(draftAt: 2)
        #expect(sizes.fraction(of: progress(sources: 1, next: 0.5)) == 0.75)
        #expect(sizes.fraction(of: progress(sources: 2)) == 1)
    }

    @Test func `Standard input after files counts as no file`() throws {
        let read = IngestSizes(try files(100))
        read.note(draftAt: 0)
        #expect(read.fraction(of: progress(sources: 2)) == 1)
        let skipped = IngestSizes(try files(100))
        #expect(skipped.fraction(of: progress(sources: 1)) == 0)
    }
}
