import Foundation
import Roost
import Synchronization

/// Reads files as the ingest asks for them. One that cannot be read is skipped where others can.
final class IngestInput {
    private let files: [URL]
    private let readsInput: Bool
    private let reader: RecordReader
    private let isOnlyFile: Bool
    private(set) var skipped: [IngestReport.Skip] = []
    private(set) var fatalError: (any Error)?
    let sizes: IngestSizes

    init(files: [URL], readsInput: Bool, reader: RecordReader, isOnlyFile: Bool) {
        self.files = files
        self.readsInput = readsInput
        self.reader = reader
        self.isOnlyFile = isOnlyFile
        sizes = IngestSizes(files)
    }

    func sequence() -> AnySequence<SourceDraft> {
        var remaining = files[...]
        var input = readsInput
        return AnySequence(
            AnyIterator { [self] in
                while let file = remaining.popFirst() {
                    do {
                        let draft = try reader.read(file)
                        sizes.note(draftAt: files.count - remaining.count - 1)
                        return draft
                    } catch let error as RoostError where !isOnlyFile {
                        skipped.append(.init(source: file.path, reason: reason(error, file)))
                    } catch {
                        fatalError = error
                        return nil
                    }
                }
                guard input else { return nil }
                input = false
                return readInput()
            })
    }

    private func reason(_ error: RoostError, _ file: URL) -> String {
        var text = error.message
        if text.hasPrefix(file.path) { text = String(text.dropFirst(file.path.count)) }
        return text.trimmingCharacters(in: CharacterSet(charactersIn: " :,"))
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

/// How many bytes lie before each source, so that progress is told by size.
final class IngestSizes: Sendable {
    /// The bytes of the first n files.
    private let before: [Int]
    /// The file of each source that was given out.
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

    func note(draftAt file: Int) { files.withLock { $0.append(file) } }

    /// How much of all bytes is done, from 0 to 1; 0 where there are no files.
    func fraction(of progress: IngestProgress) -> Double {
        guard let all = before.last, all > 0 else { return 0 }
        let given = files.withLock { $0 }
        let done = progress.sources == 0 ? 0 : before[given[min(progress.sources, given.count) - 1] + 1]
        guard progress.sources < given.count else { return Double(done) / Double(all) }
        let next = given[progress.sources]
        let size = Double(before[next + 1] - before[next]) * progress.fractionOfNextSource
        return (Double(before[next]) + size) / Double(all)
    }
}
