import Foundation
import RoostDocuments

struct DocumentFile {
    let data: Data
    let readerVersion: ReaderVersion
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
            if let type = match(start)?.type, !Self.isText(type) { return limits.maximumArchiveBytes }
            // The type of an archive follows from the table of its parts, which is at its end.
            return start.starts(with: Self.archiveSignature) ? limits.maximumArchiveBytes : nil
        }
        let found = match(data)
        if data.starts(with: Self.archiveSignature), found.map({ Self.isText($0.type) }) ?? true {
            throw FileContents.binaryFile(url)
        }
        self.match = found ?? DocumentReaders.Match(reader: PlainTextReader(), type: PlainTextReader.type)
        readerVersion = ReaderVersion(type: self.match.type.name, version: self.match.reader.version)
    }

    /// Whether files of a type are texts, which contain no zero bytes.
    private static func isText(_ type: DocumentType) -> Bool {
        switch type.format {
        case .plain, .code: true
        case .markdown: type.mediaTypes.contains("text/markdown")
        case .mail: false
        }
    }

    func read(into draft: inout SourceDraft) async throws {
        let isText = Self.isText(match.type)
        if isText, !FileContents.isUTF16(data), data.count > TextParts.maximumEntrySize {
            draft.entries = try await partsOfText()
            return
        }
        let contents = try await contents(of: data)
        let text = FileContents.isUTF16(data) ? String(data: data, encoding: .utf16) : nil
        let fileText =
            isText
            ? try text ?? RecordReader.readingUTF8(data) { try RecordReader.text($0, name: url.path) } : nil
        try DocumentDrafts(name: url.path, dates: FileDates(of: url))
            .read(contents, fileText: fileText, into: &draft)
    }

    /// Reads the parts of a large text. The first part contains the metadata of the file, and the other parts
    /// of a note only links and further tags. Each part is parsed separately, because parsing the whole text
    /// would need many times its size in memory.
    private func partsOfText() async throws -> [EntryDraft] {
        var parts = try RecordReader.readingUTF8(data) { try TextParts.drafts(of: $0, name: url.path) }
        guard let first = parts.first else { return [] }
        guard let document = try await contents(of: Data(first.content.utf8)).documents.first else {
            return parts
        }
        let metadata = DocumentDrafts.metadata(of: document)
        for index in parts.indices {
            parts[index].metadata = metadata
            parts[index].tags = document.tags
            (parts[index].createdAt, parts[index].updatedAt) = (document.createdAt, document.updatedAt)
            if index == 0 {
                (parts[0].content, parts[0].structure) = (document.text, document.structure)
            } else if match.type.format != .markdown {
                parts[index].structure = TextStructure(of: parts[index].content, format: match.type.format)
            } else if let part = try await contents(of: Data(parts[index].content.utf8)).documents.first {
                read(part, into: &parts[index])
            }
        }
        return parts
    }

    /// Adds the structure, the links and the further tags of a part of a note that is not the first one.
    private func read(_ document: Document, into part: inout EntryDraft) {
        (part.content, part.structure) = (document.text, document.structure)
        part.metadata[DocumentKey.links] = DocumentDrafts.metadata(of: document)[DocumentKey.links]
        var known = Set(part.tags.map { $0.lowercased() })
        part.tags += document.tags.filter { known.insert($0.lowercased()).inserted }
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
