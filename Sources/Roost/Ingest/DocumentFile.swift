import Foundation
import RoostDocuments
import RoostModel

struct DocumentFile {
    let data: Data
    private let url: URL
    private let readers: DocumentReaders
    private let match: DocumentReaders.Match

    /// The first bytes of a ZIP archive with at least one part.
    private static let archiveSignature = Data([0x50, 0x4B, 0x03, 0x04])

    init(_ url: URL, readers: DocumentReaders, maximumSize: Int) throws {
        (self.url, self.readers) = (url, readers)
        func match(_ data: Data) -> DocumentReaders.Match? {
            readers.match(DocumentInput(data: data, path: url.path))
        }
        data = try FileContents.read(url, maximumSize: maximumSize) { start in
            let limits = DocumentLimits()
            if FileContents.isUTF16(start) { return limits.maximumTextBytes }
            if let type = match(start)?.type, !type.isDivisible { return limits.maximumArchiveBytes }
            // The type of an archive follows from the table of its parts, which is at its end.
            return start.starts(with: Self.archiveSignature) ? limits.maximumArchiveBytes : nil
        }
        let found = match(data)
        if data.starts(with: Self.archiveSignature), found?.type.isDivisible ?? true {
            throw FileContents.binaryFile(url)
        }
        self.match = found ?? DocumentReaders.Match(reader: PlainTextReader(), type: PlainTextReader.type)
    }

    var fingerprint: String { SourceDraft.fingerprint(of: data) + match.reader.suffix(as: match.type) }

    func read(into draft: inout SourceDraft) async throws {
        let isText = match.type.isDivisible
        if isText, !FileContents.isUTF16(data), data.count > TextParts.maximumEntrySize {
            draft.entries = try await partsOfText()
            return
        }
        let contents = try await contents(of: data)
        try DocumentDrafts(name: url.path, dates: FileDates(of: url), isText: isText)
            .read(contents, into: &draft)
    }

    /// Reads the parts of a large text. Each has the metadata of the first one, but its own links and further
    /// tags. Each part is parsed separately, because parsing the whole text would need many times its size in
    /// memory.
    private func partsOfText() async throws -> [EntryDraft] {
        var encodingName: String?
        var parts = try RecordReader.readingUTF8(data, &encodingName) {
            try TextParts.drafts(of: $0, name: url.path)
        }
        var first: Document?
        for index in parts.indices {
            guard let part = try await contents(of: Data(parts[index].content.utf8)).documents.first else {
                continue
            }
            let start = first ?? part
            first = start
            (parts[index].content, parts[index].structure) = (part.text, part.structure)
            parts[index].metadata = DocumentDrafts.metadata(of: start)
            parts[index].metadata[DocumentKey.links] = DocumentDrafts.metadata(of: part)[DocumentKey.links]
            parts[index].tags = TagName.adding(part.tags, to: start.tags)
            (parts[index].createdAt, parts[index].updatedAt) = (start.createdAt, start.updatedAt)
        }
        return parts
    }

    private func contents(of data: Data) async throws -> DocumentContents {
        do {
            let input = DocumentInput(data: data, path: url.path)
            var contents = try await readers.read(input, with: match)
            // People name notes and posts by their day, and plans by a later day.
            if contents.documents.count == 1, contents.documents[0].createdAt == nil,
                let day = input.dateInFileName
            {
                let isPast = FileDates(of: url).map { day <= $0.updatedAt } ?? true
                if isPast { contents.documents[0].createdAt = day }
            }
            return contents
        } catch let error as DocumentError {
            var failure = RoostError(.badInput, "cannot read \(url.path): \(error)")
            failure.isTransient = error.isTransient
            throw failure
        }
    }
}
