import Foundation
import Roost

/// Reads the input files one by one while the ingest consumes them. An unreadable file is skipped, unless it
/// is the only one.
final class IngestInput {
    private var remaining: ArraySlice<URL>
    private var input: SourceDraft?
    private let reader: RecordReader
    private let store: KnowledgeStore
    private let isOnlyFile: Bool
    private let pages: WebInput?
    private(set) var skipped: [IngestReport.Skip] = []
    private(set) var fatalError: (any Error)?

    /// Creates an input of files, pages, and what ``standardInput()`` returned.
    init(
        files: [URL], input: SourceDraft?, reader: RecordReader, store: KnowledgeStore, isOnlyFile: Bool,
        pages: WebInput? = nil
    ) {
        remaining = files[...]
        self.input = input
        self.reader = reader
        self.store = store
        self.isOnlyFile = isOnlyFile
        self.pages = pages
    }

    /// Reads and returns the next source; `nil` after the last one, or after an error that ends the ingest.
    func next() async throws -> SourceDraft? {
        while let file = remaining.popFirst() {
            do {
                return try await reader.read(file, for: store)
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
        guard fatalError == nil else { return nil }
        defer { input = nil }
        return input
    }

    /// Fetches the next page that can be read; `nil` after the last one, or after an error that ends the
    /// ingest.
    private func nextPage() async throws -> SourceDraft? {
        while let address = pages?.nextAddress() {
            do {
                return try await pages?.draft(of: address)
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

    /// Reads standard input, whose lines become entries.
    ///
    /// It is read before a store is opened, so that no store is created if it is empty.
    static func standardInput() throws -> SourceDraft {
        let text = try RecordReader.text(StandardInput.readToEnd(), name: "standard input")
        let entries = RecordReader.lines(text)
        guard !entries.isEmpty else { throw RoostError(.noInput, "standard input is empty") }
        return SourceDraft(id: "stdin", fingerprint: "", entries: entries, isComplete: false)
    }
}
