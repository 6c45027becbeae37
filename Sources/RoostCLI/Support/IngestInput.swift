import Foundation
import Roost
import Synchronization

/// Reads the input files one by one while the ingest consumes them. An unreadable file is skipped, unless it
/// is the only one.
final class IngestInput {
    private let files: [URL]
    private var remaining: ArraySlice<URL>
    private var readsInput: Bool
    private let reader: RecordReader
    private let store: KnowledgeStore
    private let isOnlyFile: Bool
    private let pages: WebInput?
    private(set) var skipped: [IngestReport.Skip] = []
    private(set) var fatalError: (any Error)?
    let sizes: IngestSizes

    init(
        files: [URL], readsInput: Bool, reader: RecordReader, store: KnowledgeStore, isOnlyFile: Bool,
        pages: WebInput? = nil
    ) {
        self.files = files
        remaining = files[...]
        self.readsInput = readsInput
        self.reader = reader
        self.store = store
        self.isOnlyFile = isOnlyFile
        self.pages = pages
        sizes = IngestSizes(files)
    }

    /// Reads and returns the next source; `nil` after the last one, or after an error that ends the ingest.
    ///
    /// - Throws: `CancellationError`.
    func next() async throws -> SourceDraft? {
        while let file = remaining.popFirst() {
            do {
                let draft = try await reader.read(file, for: store)
                sizes.note(draftAt: files.count - remaining.count - 1)
                return draft
            } catch let error as CancellationError {
                throw error
            } catch let error as RoostError where !isOnlyFile {
                skipped.append(IngestReport.Skip(file, error))
            } catch {
                fatalError = error
                return nil
            }
        }
        if let draft = try await nextPage() { return draft }
        guard readsInput, fatalError == nil else { return nil }
        readsInput = false
        return readInput()
    }

    /// Fetches the next page that can be read; `nil` after the last one, or after an error that ends the
    /// ingest.
    private func nextPage() async throws -> SourceDraft? {
        while let address = pages?.nextAddress() {
            do {
                let draft = try await pages?.draft(of: address)
                sizes.note(draftAt: files.count - 1)
                return draft
            } catch let error as CancellationError {
                throw error
            } catch let error as RoostError where !isOnlyFile {
                skipped.append(IngestReport.Skip(source: address, reason: error.message))
            } catch {
                fatalError = error
                return nil
            }
        }
        return nil
    }

    private func readInput() -> SourceDraft? {
        do {
            let data = try StandardInput.readToEnd()
            let text = try RecordReader.text(data, name: "standard input")
            let entries = RecordReader.lines(text)
            guard !entries.isEmpty else { throw RoostError(.noInput, "standard input is empty") }
            return SourceDraft(id: "stdin", fingerprint: "", entries: entries, isComplete: false)
        } catch {
            fatalError = error
            return nil
        }
    }
}

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
        let done =
            progress.sources == 0 ? 0 : before[returned[min(progress.sources, returned.count) - 1] + 1]
        guard progress.sources < returned.count else { return Double(done) / Double(all) }
        let next = returned[progress.sources]
        let size = Double(before[next + 1] - before[next]) * progress.fractionOfNextSource
        return (Double(before[next]) + size) / Double(all)
    }
}
